from forensicviewer.app.runtime.decoders import MISSING, _asked, decoders


def test_every_kind_of_file_names_the_library_that_reads_it() -> None:
    found = decoders()

    assert found["video, sound"].startswith("FFmpeg, libavcodec ")
    assert found["JPEG 2000"].startswith("OpenJPEG 2.")
    assert found["HDF5 masks"].startswith("HDF5 ")
    assert MISSING not in found.values()


def test_a_library_that_cannot_be_loaded_is_not_available() -> None:
    def broken() -> str:
        raise ImportError("libheif.so.1: cannot open shared object file")

    assert _asked(broken) == MISSING

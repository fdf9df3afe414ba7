import sys

import pytest

from forensicviewer.app.runtime.decoders import MISSING, _asked, describe_decoders


def test_every_kind_of_file_names_the_library_that_reads_it() -> None:
    found = describe_decoders()

    assert found["video, sound"].startswith("FFmpeg, libavcodec ")
    assert found["JPEG 2000"].startswith("OpenJPEG 2.")
    assert found["HDF5 masks"].startswith("HDF5 ")
    assert MISSING not in found.values()
    assert found["decoder processes"] == "3072 MB and 60 s per file"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers a lock to everyone")
def test_whether_decoders_are_locked_in_is_told() -> None:
    assert describe_decoders()["lock of decoders"].startswith("active (")


def test_a_library_that_cannot_be_loaded_is_not_available() -> None:
    def broken() -> str:
        raise ImportError("libheif.so.1: cannot open shared object file")

    assert _asked(broken) == MISSING

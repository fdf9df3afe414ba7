"""Starts the program: Qt, the theme, the window; slow parts only after the window is painted."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QImageReader
from PySide6.QtWidgets import QApplication, QMainWindow

from forensicviewer import __version__
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.crash import NativeCrashFile, bug_of, keep_report, report_of
from forensicviewer.app.runtime.garbage import keep_what_stays, making_what_stays
from forensicviewer.app.runtime.jobs import Jobs, Lane, Priority
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.logbook import Logbook, log_path
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.plugin_check import watch_plugins
from forensicviewer.app.settings import (
    DECODER_MEMORY,
    DECODER_SECONDS,
    DOCUMENT_SIZE,
    FONT_SCALE,
    RESTORE_SESSION,
    THEME,
    UNPACKED_SIZE,
    Settings,
)
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.ui.shell.bridge import MainThreadBridge
from forensicviewer.ui.shell.language import speak
from forensicviewer.ui.shell.parts import import_ahead, import_reading
from forensicviewer.ui.shell.qt_classes import make_classes
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.theme import application_icon, apply_theme, theme_named
from forensicviewer.ui.widgets.watch import WatchedApplication

_DOOR_LANE = Lane("door")
_BEGIN_LANE = Lane("begin")
_WARM_LANE = Lane("warm", Priority.IDLE)

# Trial, score, prefetch, thumbnails and one more; work inside numpy and OpenCV runs side by side.
_THREADS = 5
_NICENESS = 10
# Qt refuses images over 256 MB by default; scans of old documents are larger.
_IMAGE_LIMIT_MB = 4_096
_SWITCH_S = 0.001
_SMOKE_MS = 300


def run_window(request: OpenRequest, *, is_fresh: bool, is_smoke: bool = False) -> int:
    """Open the window and stay in it until the user closes it; returns the exit code.

    ``is_smoke`` closes it as soon as everything asked for is shown: a test that it starts.
    """
    application = make_application()
    crash_file = NativeCrashFile()
    settings = Settings()
    troubles = speak(settings, application)
    desk = make_desk(settings)
    desk.workbench.report(troubles)
    window = make_window(desk, application)
    sys.excepthook = crash_hook(window)
    window.show()
    QTimer.singleShot(0, lambda: _after_first_paint(window, request, crash_file, is_fresh=is_fresh))
    if is_smoke:
        _close_when_shown(window)
    else:
        make_classes(window, partial(keep_door, window, application))
    code = application.exec()
    crash_file.close()
    from forensicviewer.app.runtime.decoders import close_decoders

    close_decoders()
    return code


def make_application() -> WatchedApplication:
    """The one QApplication, set up before the first widget."""
    # opencv-python (not the headless one) points Qt at its own plugins, which do not fit ours.
    for variable in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
        if "cv2" in os.environ.get(variable, ""):
            del os.environ[variable]
    if sys.platform == "win32":
        # Without a screen Qt looks for fonts only in a folder that it does not ship.
        fonts = Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "fonts"
        os.environ.setdefault("QT_QPA_FONTDIR", str(fonts))
    _limit_opencv()
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    # Every call into Qt lets other threads go first; at Python's 5 ms each a frame would take long.
    sys.setswitchinterval(_SWITCH_S)
    application = WatchedApplication(["forensicviewer"])
    application.setApplicationName("forensicviewer")
    application.setApplicationDisplayName("forensicviewer")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("forensicviewer")
    application.setStyle("Fusion")
    application.setWindowIcon(application_icon())
    QImageReader.setAllocationLimit(_IMAGE_LIMIT_MB)
    if application.platformName() == "offscreen":
        _drop_chatter()
    return application


def _limit_opencv() -> None:
    """Have OpenCV use one thread, whether it is imported already or, at best, later.

    Jobs run side by side already, and a screen has too few pixels to share out among threads.
    """
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
    if "cv2" in sys.modules:
        import cv2

        cv2.setNumThreads(1)


def _drop_chatter() -> None:
    """Keep to itself what Qt's offscreen platform says of every window, and nothing else."""

    def tell(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text.startswith("This plugin does not support"):
            return
        if callable(before):
            before(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")

    before: object = qInstallMessageHandler(tell)


def make_desk(settings: Settings) -> Desk:
    """A desk whose jobs run on threads and answer on this one."""
    bridge = MainThreadBridge(QApplication.instance())
    # Whoever has no remedy of their own for what a job cannot do leaves it to the desk.
    jobs = Jobs(background_threads(), bridge.post, lambda error: desk.fail(error))
    desk = Desk(jobs, settings)
    watch_plugins(desk.workbench)
    return desk


def background_threads() -> ThreadPoolExecutor:
    """Threads for jobs, which stand back when the window needs the processor.

    They are all started here: a thread started at a click would keep the window waiting for it.
    """
    executor = ThreadPoolExecutor(
        _THREADS, thread_name_prefix="forensicviewer", initializer=_stand_back
    )
    # They wait for this, not for each other: a program that is closed at once starts only some.
    are_asked = threading.Event()
    for _ in range(_THREADS):
        executor.submit(are_asked.wait)
    are_asked.set()
    return executor


def _stand_back() -> None:
    # Elsewhere a thread has no priority of its own. Threads it starts inherit it.
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def make_window(desk: Desk, application: WatchedApplication) -> MainWindow:
    settings = desk.settings
    theme = theme_named(settings.of(THEME))
    apply_theme(application, theme, font_scale=settings.of(FONT_SCALE))
    window = MainWindow(desk, application.watch)
    application.styleHints().colorSchemeChanged.connect(window.apply_theme)
    return window


def _after_first_paint(
    window: MainWindow, request: OpenRequest, crash_file: NativeCrashFile, *, is_fresh: bool
) -> None:
    keep_what_stays()
    logging.getLogger("forensicviewer").addHandler(LogbookHandler(window.logbook))
    begin = partial(_begin, window, request, crash_file, is_fresh=is_fresh)
    window.desk.jobs.submit(_BEGIN_LANE, import_reading, lambda _: begin())


def _begin(
    window: MainWindow, request: OpenRequest, crash_file: NativeCrashFile, *, is_fresh: bool
) -> None:
    """Open what is asked for, and make the panels."""
    desk = window.desk
    keep_what_stays()
    have_decoders(desk.settings)
    is_named = request.dataset is not None or bool(request.submissions)
    continues = not is_named and not is_fresh and desk.settings.of(RESTORE_SESSION)
    ended_badly = bool(crash_file.last_crash) or crash_file.was_cut_off
    if ended_badly and not continues:
        # Before anything is opened: what is opened becomes the session in progress.
        window.offer_rescued()
    if is_named:
        desk.open_named(request)
    elif continues:
        desk.restore_last()
    warm_up(window)
    window.logbook.keep_in(log_path())
    if crash_file.last_crash:
        from forensicviewer.ui.dialogs.help import CrashDialog

        says = tr("forensicviewer ended unexpectedly last time. Your session was saved.")
        CrashDialog(crash_file.last_crash, window, says=says).open()
    elif ended_badly and continues:
        window.notice.tell(
            tr("forensicviewer did not exit cleanly; your last session was restored")
        )


def have_decoders(settings: Settings) -> None:
    """Let files be decoded in separate processes, within the limits the settings give."""
    from forensicviewer.app.runtime.decoders import (
        limit_decoders,
        limit_files,
        open_decoders,
        start_decoder,
    )

    def limits() -> dict[str, int]:
        return {
            "memory_mb": settings.of(DECODER_MEMORY),
            "seconds": settings.of(DECODER_SECONDS),
        }

    def limit_reading() -> None:
        unpacked_gb, document_mb = settings.of(UNPACKED_SIZE), settings.of(DOCUMENT_SIZE)
        limit_files(unpacked_gb=unpacked_gb, document_mb=document_mb)

    def follow(key: str) -> None:
        if key in (DECODER_MEMORY.key, DECODER_SECONDS.key):
            limit_decoders(**limits())
        elif key in (UNPACKED_SIZE.key, DOCUMENT_SIZE.key):
            limit_reading()

    limit_reading()
    open_decoders(**limits())
    start_decoder()
    settings.subscribe(follow)


class LogbookHandler(logging.Handler):
    """Writes what is logged on any thread into the log of the window."""

    def __init__(self, logbook: Logbook) -> None:
        super().__init__(logging.WARNING)
        self._logbook = logbook
        self._bridge = MainThreadBridge(QApplication.instance())

    def emit(self, record: logging.LogRecord) -> None:
        level, text = record.levelname.lower(), record.getMessage()
        self._bridge.post(lambda: self._logbook.add(level, text))


def keep_door(window: MainWindow, application: QApplication) -> None:
    """Take over what later starts of the program are to open, once nobody waits for the window."""

    def listen(_: object) -> None:
        from forensicviewer.ui.shell.handover import Doorkeeper

        keeper = Doorkeeper(window.take_over, window)
        keeper.listen()
        application.aboutToQuit.connect(keeper.close)

    window.desk.jobs.submit(_DOOR_LANE, _import_doorkeeper, listen)


def _close_when_shown(window: MainWindow) -> None:
    asking = QTimer(window, interval=_SMOKE_MS)

    def ask() -> None:
        if not window.desk.jobs.is_busy():
            asking.stop()
            window.close()

    asking.timeout.connect(ask)
    asking.start()


def warm_up(window: MainWindow) -> None:
    """Import and make ahead of time what nobody should wait for when it is first needed."""
    jobs = window.desk.jobs
    ahead = import_ahead()

    def go_on() -> None:
        keep_what_stays()
        make_classes(window, lambda: _do_in_turn(jobs, ahead))

    # One after the other: two threads that import keep each other waiting.
    window.when_prepared(go_on)
    _keep_what_is_imported(window)


def _do_in_turn(jobs: Jobs, steps: Iterator[object]) -> None:
    """Do one step after another in the background; what a user asks for goes in between."""

    def go_on(has_more: bool) -> None:  # noqa: FBT001 - the answer of a job
        if has_more:
            _do_in_turn(jobs, steps)

    jobs.submit(_WARM_LANE, partial(_import_next, steps), go_on)


def _import_next(steps: Iterator[object]) -> bool:
    with making_what_stays():
        try:
            return next(steps, None) is not None
        except (ImportError, OSError):
            return False  # said when it is needed


def _import_doorkeeper() -> None:
    from forensicviewer.ui.shell import handover  # noqa: F401 - imported in the background, used after


def crash_hook(
    window: QMainWindow,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """What shows and keeps a bug: the same one once, for it may come with every frame drawn."""
    shown: set[str] = set()

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        bug = bug_of(kind, trace)
        if bug in shown:
            window.statusBar().showMessage(tr("The same bug as before; its report was saved"))
            return
        shown.add(bug)
        from forensicviewer.ui.dialogs.help import CrashDialog

        text = report_of(kind, error, trace)
        path = keep_report(text)
        open_now = [one for one in window.findChildren(CrashDialog) if one.isVisible()]
        if open_now:
            open_now[0].add(text)
        else:
            CrashDialog(text, window, says=_about_crash(path)).open()

    return hook


def _about_crash(kept: Path | None) -> str:
    if kept is None:
        return tr(
            "This is a bug. The program continues; copy the report below, as it could not be saved."
        )
    return tr(
        "This is a bug. The program continues; copy the report below, which was saved as {name}.",
        name=kept.name,
    )


def _keep_what_is_imported(window: MainWindow) -> None:
    """Keep what comes along whenever a reader, a page or a scorer was first needed."""
    kept = len(sys.modules)

    def follow(_state: ViewState, change: Change) -> None:
        nonlocal kept
        if change & (Change.LOADED | Change.DATASET) and len(sys.modules) > kept:
            kept = len(sys.modules)
            keep_what_stays()

    window.desk.workbench.subscribe(follow)

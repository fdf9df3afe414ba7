"""The two sides of the door between a second start and the window that is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from forensicviewer.app.session.handover import LONGEST_MESSAGE, door, message_of, request_of
from forensicviewer.app.session.open_request import OpenRequest

_READY, _TAKEN = b"ready\n", b"taken\n"
_CONNECT_MS = 300
_ANSWER_MS = 1_500


def hand_over(request: OpenRequest) -> bool:
    """Let the open window open it; whether it answered that it does.

    Nothing is said before the window has answered: one that is stuck opens nothing later.
    """
    socket = QLocalSocket()
    socket.connectToServer(door())
    is_welcome = socket.waitForConnected(_CONNECT_MS) and _heard(socket) == _READY
    if is_welcome:
        socket.write(message_of(request))
        socket.flush()
    is_taken = is_welcome and _heard(socket) == _TAKEN
    socket.abort()
    return is_taken


def _heard(socket: QLocalSocket) -> bytes:
    if not socket.canReadLine():
        socket.waitForReadyRead(_ANSWER_MS)
    return bytes(socket.readLine(LONGEST_MESSAGE).data())


class Doorkeeper(QObject):
    """Listens for second starts and hands what they bring to ``take``."""

    def __init__(self, take: Callable[[OpenRequest], None], parent: QObject) -> None:
        super().__init__(parent)
        self._take = take
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._welcome)

    def listen(self) -> bool:
        """Open the door, unless another window keeps it."""
        address = door()
        if not address:
            return False
        # Asked first: on some systems listening would take the door from the other window.
        if _answers(address):
            return False
        # A door nobody answers at was left behind by a window that did not end in order.
        QLocalServer.removeServer(address)
        return self._server.listen(address)

    def close(self) -> None:
        self._server.close()

    def _welcome(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(partial(self._read, socket))
            socket.write(_READY)
            socket.flush()

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > LONGEST_MESSAGE:
                socket.abort()
            return
        request = request_of(bytes(socket.readLine(LONGEST_MESSAGE).data()))
        if request is None:
            socket.abort()
            return
        socket.write(_TAKEN)
        socket.flush()
        self._take(request)


def _answers(address: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(address)
    is_there = socket.waitForConnected(_CONNECT_MS)
    socket.abort()
    return is_there

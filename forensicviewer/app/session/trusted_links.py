"""Which datasets' links the user trusts: kept in the settings, by the folder of the dataset."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import TRUSTED_LINKS, Settings


def trusted_folders(settings: Settings) -> tuple[str, ...]:
    return tuple(filter(None, settings.of(TRUSTED_LINKS).split(os.pathsep)))


def trust_folder(settings: Settings, root: PurePath) -> None:
    """Follow the links of a dataset whenever it is opened from now on."""
    once = dict.fromkeys((*trusted_folders(settings), str(root)))
    settings.change(TRUSTED_LINKS, os.pathsep.join(once))


def with_trust(request: OpenRequest, folders: Collection[str]) -> OpenRequest:
    """The request, which follows links where its dataset is one of those the user trusts."""
    # Imported here: it brings the readers of tables along, which the window's start does not need.
    from forensicviewer.app.datasets.opening import root_of

    if request.dataset is None or str(root_of(request.dataset)) not in folders:
        return request
    return replace(request, follows_links=True)

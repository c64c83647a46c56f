"""Checks of files to write, before any work is done for them."""

import os
from pathlib import Path


def check_file(option: str, path: Path | None) -> None:
    """Raise a ValueError if a file cannot be written."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{option} must be a file, but {path} is a folder")
    _check_folder(option, path.parent)
    _check_writable(option, path if path.exists() else path.parent)


def check_place(option: str, path: Path | None) -> None:
    """Raise a ValueError if a file or folder cannot be written; folders are made for it."""
    if path is not None:
        there = next(each for each in (path, *path.absolute().parents) if each.exists())
        if there != path:
            _check_folder(option, there)
        _check_writable(option, there)


def _check_folder(option: str, folder: Path) -> None:
    if not folder.is_dir():
        found = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"{option} must be in an existing folder, but {folder} {found}")


def _check_writable(option: str, path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise ValueError(f"{option} must be writable, but {path} is not")

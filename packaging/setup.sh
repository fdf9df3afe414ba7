#!/bin/sh
# Makes .venv with the pinned packages, and the system libraries Qt and OpenJPEG need. Safe to repeat.
# "setup.sh" brings what running the program takes, "setup.sh test" also what its tests take.
# FORENSICVIEWER_PYTHON names the Python to use; otherwise the first fitting one is taken.
set -eu
cd "$(dirname "$0")/.."
# Those of another Python would break this one.
unset PYTHONHOME PYTHONPATH

# Qt's offscreen and xcb platforms, OpenJPEG for glymur, a font.
PACKAGES="libglib2.0-0 libegl1 libgl1 libx11-6 libdbus-1-3 libfontconfig1 libxkbcommon0 \
libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 \
libxcb-xkb1 libxkbcommon-x11-0 libopenjp2-7 fonts-dejavu-core"
# Where a virtual environment keeps its programs.
[ "${OS:-}" = Windows_NT ] && bin=.venv/Scripts || bin=.venv/bin
extra=
if [ "${1:-}" = test ]; then
    # A virtual display, and what checks the desktop entry.
    PACKAGES="$PACKAGES xvfb desktop-file-utils"
    extra='[test]'
fi

is_fit() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null
}

find_python() {
    for name in ${FORENSICVIEWER_PYTHON:-python3.11 python3.12 python3.13 python3}; do
        if command -v "$name" >/dev/null 2>&1 &&
            is_fit "$name"; then
            echo "$name"
            return
        fi
    done
    echo "forensicviewer needs Python 3.11, 3.12 or 3.13 (Debian: apt-get install python3 python3-venv)" >&2
    exit 3
}

missing_packages() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    for package in $PACKAGES $1; do
        # Newer releases ship some of these under a name ending in t64.
        dpkg-query -W -f '${Status}\n' "$package" "${package}t64" 2>/dev/null | grep -q 'install ok installed' ||
            printf '%s ' "$package"
    done
}

install_system_packages() {
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "Installing system packages: $missing"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        # shellcheck disable=SC2086  # one word per package
        apt-get install -y -qq --no-install-recommends $missing >/dev/null
    else
        # A bare Debian has no sudo.
        as_root=$(command -v sudo >/dev/null 2>&1 && printf 'sudo ') || true
        echo "System packages are missing. Install them as root, then run the same command again:" >&2
        echo "    ${as_root}apt-get update && ${as_root}apt-get install --no-install-recommends $missing" >&2
        exit 3
    fi
}

# Debian splits venv from Python; other builds bring it along.
venv_package() {
    "$1" -c 'import ensurepip' 2>/dev/null || "$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
}

# One that was broken off, or moved along with its folder, is of no use: its scripts name the old place.
is_venv_whole() {
    place=$(cd .venv 2>/dev/null && pwd -P) &&
        { [ "$bin" != .venv/bin ] || head -n 2 $bin/pip 2>/dev/null | grep -qF "$place/bin/python"; } &&
        is_fit $bin/python &&
        $bin/python -c 'import pip' 2>/dev/null
}

python=$(find_python)
stamp=.venv/.installed
wanted=$(cat pyproject.toml constraints.txt packaging/setup.sh | cksum)
# One made for the tests has all that running takes.
if is_venv_whole; then
    case "$(cat "$stamp" 2>/dev/null || true)" in
    "$wanted [test]" | "$wanted $extra") exit 0 ;;
    esac
fi
install_system_packages "$(venv_package "$python")"
if ! is_venv_whole; then
    rm -rf .venv
    "$python" -m venv .venv
fi
echo "Installing Python packages into .venv; the first time this takes some minutes"
# Every package is named as it comes: minutes of silence look like a failure. The pipe hides pip's exit code.
status=.venv/.status
{
    PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 \
        $bin/python -m pip install --progress-bar off --editable ".$extra" && echo 0 >"$status" || echo 1 >"$status"
} | while read -r word package rest; do
    case $word in
    Collecting) echo "    ${package%%[<>=!;~ ]*}" ;;
    Installing) echo "Unpacking them" ;;
    esac
done
[ "$(cat "$status")" = 0 ] || exit 3
printf '%s' "$wanted $extra" >"$stamp"

#!/bin/sh
# Tries the packages of dist/ in clean Debian systems without Python, as a plain user, without a network.
# As root; needs debootstrap, unshare and Xvfb. Usage: test-installers.sh [SUITE...] (default: bookworm trixie)
# Screenshots and logs go to build/installers-test.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
out=$here/build/installers-test
roots=${ROOTS:-$here/build/roots}
python=.venv/bin/python
version=$($python -c 'import forensicviewer; print(forensicviewer.__version__)')
deb=dist/forensicviewer_${version}_amd64.deb
archive=dist/forensicviewer-$version-linux-x86_64.tar.zst
display=97
user="tester"
home="/home/Prüf Ordner mit langem Namen – Ünïcödé"
[ "$(id -u)" = 0 ] || { echo "Run this as root: it makes clean systems with debootstrap" >&2; exit 3; }
mkdir -p "$out" "$roots"

say() { echo "== $*"; }

# Runs a command as the plain user in a clean system: no network, a /tmp nothing can be executed from.
as_user() {
    root=$1
    shift
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --net --mount --propagation private sh -c '
        root=$1; user=$2; home=$3; shift 3
        mount -t proc proc "$root/proc"
        mount --bind /dev "$root/dev"
        mount -t tmpfs -o noexec,mode=1777 tmpfs "$root/tmp"
        mkdir -p "$root/tmp/.X11-unix"
        mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        exec chroot --userspec="$user:$user" "$root" /usr/bin/env -i HOME="$home" LANG=C.UTF-8 PATH=/usr/bin:/bin DISPLAY=:97 "$@"
    ' sh "$root" "$user" "$home" "$@"
}

files_outside_home() {
    (cd "$1" && find . -xdev \( -path ./home -o -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var \) -prune -o -print | sort)
}

screenshot() { # FILE
    $python packaging/linux/screenshot.py "$out/screen/Xvfb_screen0" "$1"
}

look() { # ROOT NAME COMMAND...: opens a window, takes a picture of it, closes it
    root=$1 name=$2
    shift 2
    as_user "$root" "$@" >"$out/$name.log" 2>&1 &
    window=$!
    sleep "${LOOK_SECONDS:-25}"
    screenshot "$out/$name.png"
    pkill -f "$(printf '%s' "$1" | sed 's/.*\///') " 2>/dev/null || true
    kill $window 2>/dev/null || true
    wait $window 2>/dev/null || true
}

test_suite() {
    suite=$1
    root=$roots/$suite
    say "$suite: clean system"
    [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$root" >"$out/$suite-debootstrap.log"
    chroot "$root" id $user >/dev/null 2>&1 || chroot "$root" useradd --create-home --home-dir "$home" $user
    ! chroot "$root" sh -c 'command -v python3' >/dev/null || { echo "the clean system has a Python" >&2; exit 1; }
    files_outside_home "$root" >"$out/$suite-before.txt"

    say "$suite: an older version, then this one over it"
    rm -rf "$out/old"
    dpkg-deb --raw-extract "$deb" "$out/old"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$out/old/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$out/old" "$root/old.deb" >/dev/null
    rm -rf "$out/old"
    cp "$deb" "$root/new.deb"
    chroot "$root" apt-get update -qq
    chroot "$root" apt-get install -y -qq --no-install-recommends ./old.deb >"$out/$suite-install.log" 2>&1
    as_user "$root" mkdir -p "$home/.config/forensicviewer" "$home/.local/state/forensicviewer"
    as_user "$root" sh -c 'echo kept >"$HOME/.config/forensicviewer/marker"; echo kept >"$HOME/.local/state/forensicviewer/marker"'
    chroot "$root" apt-get install -y -qq --no-install-recommends ./new.deb >>"$out/$suite-install.log" 2>&1
    [ "$(as_user "$root" forensicviewer --version)" = "forensicviewer $version" ]
    rm -f "$root/old.deb" "$root/new.deb"

    say "$suite: self-test of the installed program"
    as_user "$root" forensicviewer --selftest | tee "$out/$suite-selftest.txt" | tail -1

    say "$suite: scores equal those of the source tree"
    as_user "$root" sh -c 'cd "$HOME" && forensicviewer sample sample --quiet &&
        forensicviewer score all sample/MFC2019_Sample sample/submissions/p-good_1_MFC2019-image --out scores --quiet' || [ $? = 1 ]
    rm -rf "$out/expected"
    $python -m forensicviewer score all "$root$home/sample/MFC2019_Sample" \
        "$root$home/sample/submissions/p-good_1_MFC2019-image" --out "$out/expected" --quiet || [ $? = 1 ]
    diff --recursive --exclude=summary.json "$out/expected" "$root$home/scores"

    say "$suite: windows with a dataset, a video and a graph"
    for kind in image video provenance; do
        look "$root" "$suite-$kind" forensicviewer-gui --fresh --new-window \
            "$home/sample/MFC2019_Sample" "$home/sample/submissions/p-noisy_1_MFC2019-$kind"
    done

    say "$suite: removal leaves nothing but the user's own"
    chroot "$root" apt-get purge -y -qq forensicviewer >"$out/$suite-purge.log" 2>&1
    chroot "$root" apt-get autoremove -y -qq --purge >>"$out/$suite-purge.log" 2>&1
    files_outside_home "$root" | grep -i forensicviewer && { echo "files were left behind" >&2; exit 1; }
    as_user "$root" sh -c 'cat "$HOME/.config/forensicviewer/marker" "$HOME/.local/state/forensicviewer/marker"' >/dev/null

    say "$suite: portable folder on read-only media"
    media="$root/media/Träger"
    mkdir -p "$media"
    tar --zstd -xf "$archive" -C "$media"
    mount --bind "$media" "$media"
    mount -o remount,bind,ro "$media"
    chroot "$root" apt-get install -y -qq --no-install-recommends libgl1 libegl1 libxcb1 fontconfig-config \
        libxkbcommon-x11-0 libdbus-1-3 >>"$out/$suite-install.log" 2>&1
    as_user "$root" "/media/Träger/forensicviewer-$version-linux-x86_64/forensicviewer" --selftest | tail -1
    umount "$media"
    rm -rf "$media"
}

rm -rf "$out/screen"
mkdir -p "$out/screen"
Xvfb ":$display" -screen 0 1440x900x24 -nolisten tcp -fbdir "$out/screen" >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
[ $# -gt 0 ] || set -- bookworm trixie
for suite in "$@"; do
    test_suite "$suite"
done
say "All passed; screenshots in $out"

#!/bin/sh
# Tries the packages of dist/ in clean Debian systems without Python, as a plain user, without a network.
# As root; needs debootstrap, unshare and Xvfb. Usage: test-installers.sh [SUITE...] (default: bookworm trixie)
# Screenshots and logs go to build/installers-test. OLD_DEB names a package of an older commit to upgrade from;
# without it this one is taken under an older version.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
out=${OUT:-$here/build/installers-test}
roots=${ROOTS:-$here/build/roots}
python=.venv/bin/python
version=$($python -c 'import forensicviewer; print(forensicviewer.__version__)')
deb=dist/forensicviewer_${version}_amd64.deb
name=forensicviewer-$version-linux-x86_64
display=${DISPLAY_NUMBER:-97}
user="tester"
# Longer than the address of a socket may be.
long=$(printf 'Akte-%.0s' $(seq 40))
home="/home/Prüf Ordner mit langem Namen – Ünïcödé/$long"
[ "$(id -u)" = 0 ] || { echo "Run this as root: it makes clean systems with debootstrap" >&2; exit 3; }
mkdir -p "$out" "$roots"

say() { echo "== $*"; }
fail() { echo "$*" >&2; exit 1; }

# Runs a command as the plain user in a clean system: no network, a /tmp nothing can be executed from.
# All processes end with it.
as_user() {
    root=$1
    shift
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --net --mount --pid --fork --kill-child --propagation private sh -c '
        root=$1; user=$2; home=$3; display=$4; shift 4
        mount -t proc proc "$root/proc"
        mount --bind /dev "$root/dev"
        mount -t tmpfs -o noexec,mode=1777 tmpfs "$root/tmp"
        mkdir -p "$root/tmp/.X11-unix"
        mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        exec chroot --userspec="$user:$user" "$root" /usr/bin/env -i HOME="$home" LANG=C.UTF-8 PATH=/usr/bin:/bin \
            DISPLAY=":$display" "$@"
    ' sh "$root" "$user" "$home" "$display" "$@"
}

in_root() { # ROOT COMMAND...: as its administrator
    root=$1
    shift
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" "$@"
}

install() { # ROOT PACKAGE...
    root=$1
    shift
    in_root "$root" apt-get install -y -qq --no-install-recommends "$@" >>"$out/$suite-install.log" 2>&1
}

# Without what apt and dpkg keep for themselves.
files_outside_home() {
    (cd "$1" && find . -xdev \( -path ./home -o -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o \
        -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./media \) -prune -o -print | sort)
}

kept_files() { # ROOT: digests of settings, sessions and reviews
    (cd "$1$home" && find .config .local/state review -type f -exec sha256sum {} + | sort -k 2)
}

look() { # ROOT NAME COMMAND...: opens a window, takes a picture of it, closes it
    root=$1 picture=$2
    shift 2
    as_user "$root" timeout --kill-after=5 "$((${LOOK_SECONDS:-40} + 10))" "$@" >"$out/$picture.log" 2>&1 &
    window=$!
    sleep "${LOOK_SECONDS:-40}"
    $python packaging/linux/screenshot.py "$out/screen/Xvfb_screen0" "$out/$picture.png"
    wait $window || true
    [ ! -s "$out/$picture.log" ] || fail "the window of $picture said: $(cat "$out/$picture.log")"
}

test_upgrade() {
    say "$suite: an older version, then this one over it"
    if [ -n "${OLD_DEB:-}" ]; then
        dpkg-deb --raw-extract "$OLD_DEB" "$out/old"
    else
        dpkg-deb --raw-extract "$deb" "$out/old"
    fi
    sed -i 's/^Version: .*/Version: 0.0.1/' "$out/old/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$out/old" "$root/old.deb" >/dev/null
    rm -rf "$out/old"
    cp "$deb" "$root/new.deb"
    install "$root" ./old.deb
    as_user "$root" sh -c 'cd "$HOME" && mkdir -p .config/forensicviewer &&
        echo "{\"kind\": \"settings\", \"version\": 2, \"values\": {\"appearance.theme\": \"dark\", \"later.setting\": 1}}" \
            >.config/forensicviewer/settings.json &&
        forensicviewer sample sample --quiet &&
        forensicviewer review init review sample/MFC2019_Sample --task manipulation --judge Ada --judge Bo --quiet &&
        forensicviewer open --smoke sample/MFC2019_Sample sample/submissions/p-noisy_1_MFC2019-image --trial MFC2019_1004'
    kept_files "$root" >"$out/$suite-kept.txt"
    [ "$(wc -l <"$out/$suite-kept.txt")" -ge 5 ] || fail "the older version kept nothing"
    install "$root" ./new.deb
    [ "$(as_user "$root" forensicviewer --version)" = "forensicviewer $version" ]
    rm -f "$root/old.deb" "$root/new.deb"
    kept_files "$root" | diff "$out/$suite-kept.txt" - || fail "the upgrade changed files of the user"
    as_user "$root" sh -c 'cd "$HOME" && forensicviewer review verify review' >"$out/$suite-review.txt"
    # Without arguments it goes on where the older version was left, in its dark theme.
    look "$root" "$suite-upgraded" forensicviewer-gui
    grep -q later.setting "$root$home/.config/forensicviewer/settings.json" || fail "a setting was lost"
}

test_program() {
    say "$suite: self-test of the installed program"
    as_user "$root" forensicviewer --selftest >"$out/$suite-selftest.txt" || { cat "$out/$suite-selftest.txt"; exit 1; }
    tail -1 "$out/$suite-selftest.txt"

    say "$suite: one command of every kind"
    cp packaging/every-command.sh "$root/every-command.sh"
    as_user "$root" sh -c 'sh /every-command.sh "$HOME/every command"'
    cp "$root$home/every command/log.txt" "$out/$suite-every-command.txt"
    rm -rf "$root/every-command.sh"

    say "$suite: scores equal those of the source tree"
    rm -rf "$out/expected"
    # The other sample was written by the older version, whose words may differ.
    written="$root$home/every command/sample"
    $python -m forensicviewer score all "$written/MFC2019_Sample" "$written/submissions/p-good_1_MFC2019-image" --out "$out/expected" --quiet || [ $? = 1 ]
    diff --recursive --exclude=summary.json --exclude='*.html' "$out/expected" "$root$home/every command/scores-mfc"

    say "$suite: windows: start page, a dataset, a video and a graph"
    look "$root" "$suite-start" forensicviewer-gui --fresh --new-window
    for kind in image video provenance; do
        look "$root" "$suite-$kind" forensicviewer-gui --fresh --new-window \
            "$home/sample/MFC2019_Sample" "$home/sample/submissions/p-noisy_1_MFC2019-$kind"
    done
    # The windows were ended from outside, which leaves empty signs of their run.
    ! find "$root$home/.local/state/forensicviewer/reports" -type f -size +0 | grep . || fail "a crash was reported"
}

test_removal() {
    say "$suite: removal leaves nothing but the user's own"
    kept_files "$root" >"$out/$suite-kept.txt"
    in_root "$root" apt-get purge -y -qq forensicviewer >"$out/$suite-purge.log" 2>&1
    in_root "$root" apt-get autoremove -y -qq --purge >>"$out/$suite-purge.log" 2>&1
    files_outside_home "$root" >"$out/$suite-after.txt"
    # Libraries of the system are Debian's own business; every name of ours is not.
    diff "$out/$suite-before.txt" "$out/$suite-after.txt" >"$out/$suite-left.txt" || true
    ! grep -i forensicviewer "$out/$suite-left.txt" || fail "files were left behind"
    [ -z "$(in_root "$root" sh -c 'ls -d /var/*/*forensicviewer* /var/lib/dpkg/info/*forensicviewer* 2>/dev/null')" ] ||
        fail "files were left behind in /var"
    kept_files "$root" | diff "$out/$suite-kept.txt" - || fail "the removal changed files of the user"
}

test_portable() {
    say "$suite: portable folder on read-only media"
    place="/media/Träger/$long"
    media="$root$place"
    mkdir -p "$media"
    tar --zstd -xf "dist/$name.tar.zst" -C "$media"
    mount --bind "$media" "$media"
    mount -o remount,bind,ro "$media"
    # What every desktop has, and no more.
    install "$root" libgl1 libegl1 libxcb1 fontconfig-config xkb-data
    as_user "$root" "$place/$name/forensicviewer" --selftest >"$out/$suite-portable.txt" || {
        cat "$out/$suite-portable.txt"
        exit 1
    }
    tail -1 "$out/$suite-portable.txt"
    look "$root" "$suite-portable" "$place/$name/forensicviewer-gui" --fresh --new-window \
        "$home/sample/MFC2019_Sample" "$home/sample/submissions/p-noisy_1_MFC2019-image"
    umount "$media"
    rm -rf "$root/media/Träger"

    say "$suite: the file that unpacks itself"
    install "$root" zstd
    cp "dist/$name.run" "$root$home/$name.run"
    as_user "$root" sh -c 'cd "$HOME" && sh ./*.run' >"$out/$suite-run.txt" 2>&1
    grep -q "is unpacked in $home/$name" "$out/$suite-run.txt" || { cat "$out/$suite-run.txt"; exit 1; }
    [ "$(as_user "$root" "$home/$name/forensicviewer" --version)" = "forensicviewer $version" ]
    rm -rf "$root$home/$name" "$root$home/$name.run"
}

# Wheels need the Python they are made for; the others are not tried.
test_wheelhouse() {
    wheels=$(ls dist/forensicviewer-"$version"-wheelhouse-py*.tar 2>/dev/null) || return 0
    install "$root" python3 python3-venv
    tag=$(in_root "$root" python3 -c 'import sys; print("py%d%d" % sys.version_info[:2])')
    case "$wheels" in *-$tag.tar) ;; *) return 0 ;; esac
    say "$suite: wheels and their script, with Debian's Python"
    # Wheels bring Qt and not the libraries of the system that it needs, which every desktop has.
    install "$root" libgl1 libegl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon-x11-0 libxcb-cursor0 \
        libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 libxcb-xkb1
    tar -xf "$wheels" -C "$root$home"
    as_user "$root" sh -c 'cd "$HOME" && sh forensicviewer-*-wheelhouse-*/install.sh "$HOME/From wheels"' >"$out/$suite-wheelhouse.txt" 2>&1 ||
        { cat "$out/$suite-wheelhouse.txt"; exit 1; }
    as_user "$root" "$home/From wheels/bin/forensicviewer" --selftest >>"$out/$suite-wheelhouse.txt" 2>&1 ||
        { cat "$out/$suite-wheelhouse.txt"; exit 1; }
    tail -1 "$out/$suite-wheelhouse.txt"
    rm -rf "$root$home/From wheels" "$root$home"/forensicviewer-*-wheelhouse-*
    in_root "$root" apt-get purge -y -qq --autoremove python3 >>"$out/$suite-purge.log" 2>&1
}

test_suite() {
    suite=$1
    root=$roots/$suite
    say "$suite: clean system"
    [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$root" >"$out/$suite-debootstrap.log"
    chroot "$root" id $user >/dev/null 2>&1 || chroot "$root" useradd --no-create-home --home-dir "$home" $user
    ! chroot "$root" sh -c 'command -v python3' >/dev/null || fail "the clean system has a Python"
    rm -rf "${root:?}$home"
    chroot "$root" install -d -o $user -g $user "$home"
    : >"$out/$suite-install.log"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    in_root "$root" apt-get update -qq
    files_outside_home "$root" >"$out/$suite-before.txt"
    test_upgrade
    test_program
    test_removal
    test_portable
    test_wheelhouse
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

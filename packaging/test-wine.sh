#!/bin/sh
# Tries the Windows program under Wine 10 in a Debian 13 system without a network: installer, self-test, scores, a window.
# As root; needs debootstrap, unshare, Xvfb and osslsigncode. First: packaging/build.py windows-wine.
# Screenshots and logs go to build/installers-test. This build differs from the shipped one in the pins that Wine
# cannot load (WINE_PINS in packaging/windows/payload.py). The shipped one, where dist/ has it, is only installed,
# asked for its version and removed.
set -eu
cd "$(dirname "$0")/.."
out=$(pwd -P)/build/installers-test
root=${ROOTS:-$(pwd -P)/build/roots}/wine
python=.venv/bin/python
version=$($python -c 'import forensicviewer; print(forensicviewer.__version__)')
setup=build/windows/forensicviewer-$version-wine-setup.exe
display=96
[ "$(id -u)" = 0 ] || { echo "Run this as root: it makes a clean system with debootstrap" >&2; exit 3; }
[ -e "$setup" ] || { echo "Build it first: $python packaging/build.py windows-wine" >&2; exit 3; }
mkdir -p "$out"

say() { echo "== $*"; }

# Runs a command as the plain user in the system with Wine, without a network.
in_wine() {
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --net --mount --propagation private sh -c '
        root=$1; shift
        mount -t proc proc "$root/proc"
        mount --bind /dev "$root/dev"
        # OpenCV asks for the processors, which Wine reads here.
        mount --rbind /sys "$root/sys"
        mkdir -p "$root/tmp/.X11-unix"
        mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        exec chroot --userspec=tester:tester "$root" /usr/bin/env -i HOME=/home/tester LANG=C.UTF-8 PATH=/usr/bin:/bin \
            DISPLAY=:96 WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=;vcomp140=n,b" "$@"
    ' sh "$root" "$@"
}

say "the publisher's signature of the embeddable Python"
osslsigncode verify -in "build/windows/forensicviewer-$version-wine/python/python.exe" >"$out/wine-signature.txt" 2>&1 || true
grep -q "Subject: .*Python Software Foundation" "$out/wine-signature.txt"
current=$(sed -n 's/^Current message digest *: *//p' "$out/wine-signature.txt")
[ -n "$current" ] && [ "$current" = "$(sed -n 's/^Calculated message digest *: *//p' "$out/wine-signature.txt")" ]

say "a Debian 13 system with Wine"
if [ ! -e "$root/usr/lib/wine" ]; then
    debootstrap --variant=minbase trixie "$root" >"$out/wine-debootstrap.log"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    chroot "$root" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends wine wine64 \
        fonts-wine fonts-dejavu-core fonts-liberation fontconfig libfreetype6 >"$out/wine-install.log" 2>&1
fi
chroot "$root" id tester >/dev/null 2>&1 || chroot "$root" useradd --create-home tester
rm -rf "$out/wine-screen" "$root/home/tester/.wine"
mkdir -p "$out/wine-screen"
Xvfb ":$display" -screen 0 1440x900x24 -nolisten tcp -fbdir "$out/wine-screen" >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
in_wine wineboot --init >"$out/wine-boot.log" 2>&1 || true
drive=$root/home/tester/.wine/drive_c
# Every Windows has fonts; Wine's folder is empty.
cp "$root"/usr/share/fonts/truetype/dejavu/*.ttf "$root/home/tester/.wine/drive_c/windows/Fonts/"

program="C:\\users\\tester\\AppData\\Local\\Programs\\forensicviewer"
place=$drive/users/tester/AppData/Local/Programs/forensicviewer

# Wine 10 has no Windows Management Instrumentation that CPython could ask for the version of Windows.
hide_wmi() { mv "$1/python/_wmi.pyd" "$1/python/_wmi.unused"; }

install_silently() { # SETUP
    cp "$1" "$root/home/tester/setup.exe"
    in_wine wine /home/tester/setup.exe /S >"$out/wine-setup.log" 2>&1
    rm "$root/home/tester/setup.exe"
    [ -e "$place/forensicviewer.exe" ] && [ -e "$place/uninstall.exe" ]
    in_wine wine reg query 'HKCU\Software\Classes\.fvcase' /ve | grep -q forensicviewer.case
    hide_wmi "$place"
    [ "$(in_wine wine "$program\\forensicviewer.exe" --version | tr -d '\r')" = "forensicviewer $version" ]
}

remove_silently() {
    in_wine wine "$program\\uninstall.exe" /S >"$out/wine-removal.log" 2>&1
    for _ in $(seq 90); do
        [ ! -e "$place" ] || sleep 1
    done
    [ ! -e "$place" ] || { find "$place" | head; echo "files were left behind" >&2; exit 1; }
    for key in 'Software\Classes\.fvcase' 'Software\forensicviewer' \
        'Software\Microsoft\Windows\CurrentVersion\Uninstall\forensicviewer'; do
        ! in_wine wine reg query "HKCU\\$key" >/dev/null 2>&1 || { echo "$key was left behind" >&2; exit 1; }
    done
}

say "silent installation for one user"
install_silently "$setup"

say "self-test"
in_wine wine "$program\\forensicviewer.exe" --selftest >"$out/wine-selftest.txt" 2>&1 || { cat "$out/wine-selftest.txt"; exit 1; }
tail -1 "$out/wine-selftest.txt"

say "scores equal those of the source tree"
in_wine wine "$program\\forensicviewer.exe" sample 'C:\sample' --quiet
in_wine wine "$program\\forensicviewer.exe" score all 'C:\sample\MFC2019_Sample' \
    'C:\sample\submissions\p-good_1_MFC2019-image' --out 'C:\scores' --quiet || [ $? = 1 ]
rm -rf "$out/wine-expected"
$python -m forensicviewer score all "$drive/sample/MFC2019_Sample" "$drive/sample/submissions/p-good_1_MFC2019-image" \
    --out "$out/wine-expected" --quiet || [ $? = 1 ]
diff --recursive --strip-trailing-cr --exclude=summary.json "$out/wine-expected" "$drive/scores"

say "windows with a dataset, a video and a graph"
for kind in image video provenance; do
    in_wine wine "$program\\forensicviewer-gui.exe" --fresh --new-window 'C:\sample\MFC2019_Sample' \
        "C:\\sample\\submissions\\p-noisy_1_MFC2019-$kind" >"$out/wine-$kind.log" 2>&1 &
    sleep "${LOOK_SECONDS:-60}"
    $python packaging/linux/screenshot.py "$out/wine-screen/Xvfb_screen0" "$out/wine-$kind.png"
    in_wine wineserver --kill || true
done

say "removal"
remove_silently

say "portable folder, not writable"
portable="$drive/Träger mit Leerzeichen"
mkdir "$portable"
$python -m zipfile -e "build/windows/forensicviewer-$version-wine.zip" "$portable"
hide_wmi "$portable/forensicviewer-$version-wine"
chmod -R a-w "$portable"
in_wine wine "C:\\Träger mit Leerzeichen\\forensicviewer-$version-wine\\forensicviewer.exe" --selftest \
    >"$out/wine-portable.txt" 2>&1 || { cat "$out/wine-portable.txt"; exit 1; }
tail -1 "$out/wine-portable.txt"
chmod -R u+w "$portable"
rm -rf "$portable"

shipped=dist/forensicviewer-$version-windows-x64-setup.exe
if [ -e "$shipped" ]; then
    say "the shipped installer: installation, version, removal"
    install_silently "$shipped"
    remove_silently
fi
say "All passed; screenshots in $out"

#!/bin/sh
# Wraps the bundle of build/ into an AppImage. Needs appimagetool with its runtime: APPIMAGETOOL, APPIMAGE_RUNTIME.
set -eu
cd "$(dirname "$0")/../.."
tool=${APPIMAGETOOL:-appimagetool}
command -v "$tool" >/dev/null 2>&1 || { echo "appimagetool is missing; name it in APPIMAGETOOL" >&2; exit 3; }
[ -x build/bundle/forensicviewer/forensicviewer-gui ] || { echo "Build the bundle first: make installers" >&2; exit 3; }
version=$(.venv/bin/python -c 'import forensicviewer; print(forensicviewer.__version__)')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH ARCH=x86_64
folder=build/appimage/forensicviewer.AppDir
rm -rf "$folder"
mkdir -p "$folder/usr/share/applications"
cp -a build/bundle/forensicviewer "$folder/usr/lib"
cp packaging/linux/forensicviewer.desktop "$folder/"
cp packaging/linux/forensicviewer.desktop "$folder/usr/share/applications/"
cp resources/icons/app.svg "$folder/forensicviewer.svg"
# Called by a name that ends in "-gui", or without arguments, it opens the window; else it is the command line.
cat >"$folder/AppRun" <<'RUN'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
case "${ARGV0:-}:$#" in
*-gui:* | *:0) exec "$here/usr/lib/forensicviewer-gui" "$@" ;;
*) exec "$here/usr/lib/forensicviewer" "$@" ;;
esac
RUN
chmod 755 "$folder/AppRun"
mkdir -p dist
# shellcheck disable=SC2086  # the runtime is optional
"$tool" --no-appstream ${APPIMAGE_RUNTIME:+--runtime-file "$APPIMAGE_RUNTIME"} "$folder" \
    "dist/forensicviewer-$version-x86_64.AppImage"
"dist/forensicviewer-$version-x86_64.AppImage" --appimage-extract-and-run --selftest

#!/bin/sh
# Builds forensicviewer.app and a disk image on macOS 14 or later (Apple silicon), from the same spec as the
# Linux bundle. Signs and notarizes when MACOS_IDENTITY (and MACOS_NOTARY_PROFILE) name keys of this machine.
set -eu
cd "$(dirname "$0")/../.."
[ "$(uname -s)" = Darwin ] || { echo "A macOS application can only be built on macOS" >&2; exit 3; }
python=${PYTHON:-.venv/bin/python}
version=$($python -c 'import forensicviewer; print(forensicviewer.__version__)')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0
$python -m PyInstaller --noconfirm --clean --distpath build/bundle --workpath build/work packaging/bundle/forensicviewer.spec
app=build/bundle/forensicviewer.app
$python packaging/build.py licences
cp -R build/bundle/forensicviewer/licences "$app/Contents/Resources/"
if [ -n "${MACOS_IDENTITY:-}" ]; then
    codesign --force --deep --options runtime --timestamp --sign "$MACOS_IDENTITY" "$app"
    codesign --verify --deep --strict "$app"
fi
mkdir -p dist
image=dist/forensicviewer-$version-macos-arm64.dmg
rm -f "$image"
hdiutil create -volname forensicviewer -srcfolder "$app" -format UDZO -ov "$image"
if [ -n "${MACOS_NOTARY_PROFILE:-}" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$MACOS_NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
fi
# What was built must start, decode, score and draw.
"$app/Contents/MacOS/forensicviewer" --selftest

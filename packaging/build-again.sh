#!/bin/sh
# Builds once more, in another folder with an environment of its own, and compares every file with what is here.
# First: make installers. Usage: build-again.sh FOLDER [PART...]; without a part, the bundle and the packages of Linux.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
folder=$1
shift
[ $# -gt 0 ] || set -- bundle deb portable run
git diff --quiet HEAD || { echo "Commit first: the other folder gets what is committed" >&2; exit 3; }
[ -e "$folder" ] || git clone --quiet "$here" "$folder"
(
    cd "$folder"
    git fetch --quiet origin
    git checkout --quiet --detach "$(git -C "$here" rev-parse HEAD)"
    sh packaging/setup.sh
    .venv/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[packaging]'
    .venv/bin/python packaging/build.py "$@"
)

# Rights, digest and name of every file of the bundle and of every package that both have.
listed() {
    cd "$1"
    find build/bundle \( -type f -o -type l \) -printf '%m %p %l\n' | sort
    find build/bundle -type f -exec sha256sum {} + | sort -k 2
    for package in "$folder"/dist/*; do
        sha256sum "dist/$(basename "$package")"
    done
}
folder=$(cd "$folder" && pwd -P)
(listed "$here") >"$folder/build/first.txt"
(listed "$folder") >"$folder/build/second.txt"
diff "$folder/build/first.txt" "$folder/build/second.txt" || { echo "The two builds differ" >&2; exit 1; }
grep dist/ "$folder/build/second.txt"
echo "Two builds are the same: $(grep -c ' build/bundle' "$folder/build/second.txt") lines about the bundle, $(ls "$folder/dist" | wc -l) packages"

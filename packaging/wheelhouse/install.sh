#!/bin/sh
# Installs forensicviewer from the wheels beside this script into a virtual environment, without a network.
set -eu
unset PYTHONHOME PYTHONPATH PIP_INDEX_URL PIP_EXTRA_INDEX_URL
here=$(cd "$(dirname "$0")" && pwd -P)
target=${1:-$HOME/forensicviewer}
wanted=$(ls "$here/wheels" | sed -n 's/^numpy-.*-cp\(3\)\([0-9]*\)-.*/\1.\2/p')
python=
for name in "python$wanted" python3; do
    if command -v "$name" >/dev/null 2>&1 && [ "$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$wanted" ]; then
        python=$name
        break
    fi
done
[ -n "$python" ] || { echo "These wheels need Python $wanted with its venv module" >&2; exit 3; }
[ ! -e "$target" ] || [ -x "$target/bin/forensicviewer" ] || { echo "$target exists and is not an installation of forensicviewer" >&2; exit 3; }
(cd "$here" && sha256sum --quiet --check SHA256SUMS)
"$python" -m venv "$target"
"$target/bin/python" -m pip --disable-pip-version-check install --quiet --no-index --find-links "$here/wheels" --upgrade forensicviewer
echo "Installed: $target/bin/forensicviewer"
echo "Check it with $target/bin/forensicviewer --selftest, which names what is missing: windows need libraries that"
echo "every desktop has and few servers"

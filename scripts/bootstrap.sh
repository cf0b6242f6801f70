#!/bin/sh
# Installs the Debian packages that burstc's build and its simulations need, where they are missing; does nothing where
# all are there. Arguments PACKAGE:PROGRAM name others. Without root or sudo it names what is missing, in one message.
set -eu

# Package, and the program or file by which its presence is known.
needed="
autoconf autoconf
automake automake
libtool libtoolize
pkg-config pkg-config
make make
g++ g++
verilator verilator
iverilog iverilog
yosys yosys
z3 z3
parallel parallel
zlib1g-dev /usr/include/zlib.h
gtkwave gtkwave
xvfb Xvfb
xauth xauth
chromium chromium
python3-numpy /usr/lib/python3/dist-packages/numpy/__init__.py
"

# Those of the caller, as PACKAGE:PROGRAM.
for more; do
    needed="$needed
${more%:*} ${more#*:}"
done

missing=
while read -r package program; do
    if [ -n "$package" ] && ! [ -f "$program" ] && ! command -v "$program" > /dev/null 2>&1; then
        missing="$missing $package"
    fi
done << EOF
$needed
EOF

if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
    fi
    # sudo may ask for a password only where someone can give it.
    if ! command -v apt-get > /dev/null 2>&1 \
        || { [ -n "$as_root" ] && { ! command -v sudo > /dev/null 2>&1 || ! { [ -t 0 ] || sudo -n true 2> /dev/null; }; }; }
    then
        echo "burstc needs these Debian packages:$missing" >&2
        echo "Install them as root: apt-get install$missing" >&2
        exit 1
    fi
    echo "Installing:$missing"
    $as_root apt-get update -q
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

if ! command -v cargo > /dev/null 2>&1; then
    echo "burstc needs Rust (cargo); https://rustup.rs installs it" >&2
    exit 1
fi

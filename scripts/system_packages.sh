#!/bin/sh
# Sees to the system libraries that Qt loads and that no wheel carries (Debian 12, Ubuntu 24.04).
set -eu

# The first line is what Qt needs without a screen, the second what it needs on an X server, the third a screen for the tests.
packages="libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3
libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0
xvfb xauth"

command -v dpkg-query >/dev/null || exit 0

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
# Ubuntu renamed the library when it moved to 64-bit time; apt still finds it under the old name.
is_installed libglib2.0-0 || is_installed libglib2.0-0t64 || missing=libglib2.0-0
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    echo "Installing system libraries: $missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    # shellcheck disable=SC2086  # one word for each package
    apt-get install -qq --no-install-recommends $missing </dev/null >/dev/null
else
    echo "System libraries are missing. Run this once, then call make again:" >&2
    echo "  sudo apt-get install --no-install-recommends" $missing >&2
    exit 1
fi

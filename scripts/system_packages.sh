#!/bin/sh
# Sees to the system libraries that Qt loads and no wheel carries (names of Debian 12 and Ubuntu 24.04).
set -eu

without_screen="libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3"
on_x11="libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
screen_for_tests="xvfb xauth xdotool"

command -v dpkg-query >/dev/null || exit 0

installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' 2>/dev/null) "
is_installed() {
    case $installed in
    *" installed:$1 "*) true ;;
    *) false ;;
    esac
}

missing=
# Ubuntu renamed this library when time became 64 bits wide; apt-get still answers to the old name.
is_installed libglib2.0-0 || is_installed libglib2.0-0t64 || missing=" libglib2.0-0"
for package in $without_screen $on_x11 $screen_for_tests; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Qt needs system libraries that are missing. Run this once, then call make again:" >&2
    echo "  sudo apt-get update && sudo apt-get install --yes --no-install-recommends$missing" >&2
    exit 1
fi

echo "Installing the system libraries that Qt needs:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update </dev/null
# shellcheck disable=SC2086  # one word per package
apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends $missing </dev/null >/dev/null

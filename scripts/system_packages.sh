#!/bin/sh
# Sees to the system libraries that Qt loads and no wheel carries (names of Debian 12 and Ubuntu 24.04); with
# --for-tests, to the programs that only the tests start.
set -eu

without_screen="libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3"
on_x11="libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
screen_for_tests="xvfb xauth xdotool"
server_for_tests="postgresql"

command -v dpkg-query >/dev/null || exit 0

installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' 2>/dev/null) "
is_installed() {
    case $installed in
    *" installed:$1 "*) true ;;
    *) false ;;
    esac
}

missing=
if [ "${1-}" = --for-tests ]; then
    what="programs that the tests start"
    wanted=$server_for_tests
else
    what="system libraries that Qt needs"
    wanted="$without_screen $on_x11 $screen_for_tests"
    # Ubuntu renamed this library when time became 64 bits wide; apt-get still answers to the old name.
    is_installed libglib2.0-0 || is_installed libglib2.0-0t64 || missing=" libglib2.0-0"
fi
for package in $wanted; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Missing are $what. Run this once, then call make again:" >&2
    echo "  sudo apt-get update && sudo apt-get install --yes --no-install-recommends$missing" >&2
    exit 1
fi

echo "Installing the $what:$missing"
export DEBIAN_FRONTEND=noninteractive
# The package would start a server of its own; the tests start theirs.
if [ "$wanted" = "$server_for_tests" ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
apt-get -qq update </dev/null
# shellcheck disable=SC2086  # one word per package
apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install --yes --no-install-recommends $missing </dev/null >/dev/null

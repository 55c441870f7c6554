#!/bin/sh
# Installs the packages that lift is built with, if missing; with 'check', also those of tests and
# checks. Needs Debian or a relative, and root or sudo; elsewhere the script lists the packages.
set -eu

build="build-essential meson ninja-build pkg-config libsqlite3-dev libcsv-dev
    ocl-icd-opencl-dev pocl-opencl-icd libjansson-dev libxxhash-dev zlib1g-dev
    libhwloc-dev sqlite3"
check="libcmocka-dev universal-ctags clang clang-format clang-tidy libomp-dev oclgrind
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user debhelper dh-python python3-numpy gfortran locales openmpi-bin lintian groff-base zsh"
extra="libamdhip64-5" # tests are skipped without; not every distribution has it by this name

packages=$build
[ "${1:-}" != check ] || packages="$build $check $extra"

if ! command -v apt-get >/dev/null 2>&1; then
    command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1 && exit 0
    echo "setup: no apt-get here; install the counterparts of these packages of Debian 12:"
    echo "$packages" | tr -s ' \n' '\n' | sed 's/^./  &/'
    exit 0
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: installing$missing"
quiet() { # runs a command, prints what it said only if it failed
    log=$(mktemp)
    "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        rm -f "$log"
        return 1
    }
    rm -f "$log"
}
install() {
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null 2>&1 || {
            echo "setup: this needs root or sudo: apt-get install$missing" >&2
            return 1
        }
    fi
    quiet $as_root apt-get update || return
    # shellcheck disable=SC2086
    quiet $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
}
install || {
    missing=$(echo "$missing" | sed "s/ $extra//")
    echo "setup: going on without $extra"
    [ -z "$missing" ] || install
} || {
    echo "setup: cannot install$missing" >&2
    command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1 || exit 1
    echo "setup: continuing with the installed packages" >&2
}

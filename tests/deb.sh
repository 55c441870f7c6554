#!/bin/sh
# Builds the Debian packages from a copy of the tree, looks at them, and runs their programs:
# 'sh tests/deb.sh [ROOT]'. Exit status 77 where the tools are missing.
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
for tool in dpkg-buildpackage dh git; do
    command -v $tool >/dev/null 2>&1 && continue
    echo "$tool is not installed"
    exit 77
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() { # what, command...
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "$what: passed"
    else
        tail -n 40 "$work/log"
        echo "$what: failed"
        failed=1
    fi
}

# Committed and changed files, without folders of builds.
mkdir "$work/lift" "$work/there"
git -C "$root" ls-files -z --cached --others --exclude-standard |
    (cd "$root" && xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh) |
    tar -C "$root" --null -T - -cf - | tar -C "$work/lift" -xf -

# Without optimisation, which takes half of the time.
build() {
    cd "$work/lift" && DEB_BUILD_OPTIONS="noopt parallel=$(nproc)" dpkg-buildpackage -us -uc -b
}
check "dpkg-buildpackage" build

lint() {
    lintian --allow-root --fail-on error "$work"/*.changes
}
if command -v lintian >/dev/null 2>&1; then
    check "lintian" lint
else
    echo "lintian: skipped: it is not installed"
fi

unpack() {
    for package in lift liblift1 liblift-dev python3-lift; do
        dpkg-deb -x "$work/${package}_"*.deb "$work/there" || return
    done
}
check "four packages" unpack

# Each file of the installation is in a package, and in one only.
overlaps() {
    for package in "$work"/*.deb; do
        case $package in *dbgsym*) continue ;; esac
        dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }'
    done | sort | uniq -d >"$work/twice"
    [ ! -s "$work/twice" ] || { cat "$work/twice" && false; }
}
check "no file is in two packages" overlaps

derive() {
    cd "$work" && "$work/there/usr/bin/lift" derive \
        "$work/there/usr/share/lift/programs/heat.lift" --family omp_blocked | grep -q mapPar
}
check "the packaged command derives a packaged program" derive

link_it() {
    libdir=$(dirname "$(find "$work/there" -name liblift.so.1)")
    cp -r "$work/lift/examples/embed" "$work/builder"
    PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR='' make -C "$work/builder" &&
        LD_LIBRARY_PATH=$libdir "$work/builder/builder" | grep PASSED
}
check "a program is built by the packaged headers and library" link_it

by_python() {
    cd "$work" && LD_LIBRARY_PATH=$libdir PYTHONPATH=$work/there/usr/lib/python3/dist-packages \
        "$python" -c "import lift
plan = lift.plan('$work/there/usr/share/lift/programs/heat.lift', sizes='nx=8,ny=8,nz=8',
                 effort='measure')
assert plan.facts.measured"
}
libdir=$(dirname "$(find "$work/there" -name liblift.so.1)")
python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
    check "the packaged module measures a packaged program" by_python
else
    echo "the packaged module: skipped: python3-numpy is not installed"
fi
exit $failed

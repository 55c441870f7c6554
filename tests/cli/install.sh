#!/bin/sh
# Installed files, and that they work in place: 'sh tests/cli/install.sh ROOT LIFT BUILD'.
. "$(dirname "$0")/cli.sh"
build=$3

run meson install -C "$build" --no-rebuild --quiet --destdir "$work/there"
lift=$(find "$work/there" -path '*/bin/lift')
if [ "$status" -ne 0 ] || [ -z "$lift" ]; then
    not_ok "it installs" "$(cat "$work/err")"
    finish
fi
ok "it installs"
prefix=${lift%/bin/lift}
(cd "$prefix" && find . ! -type d | sed 's|^\./||') | sort >"$work/files"

# Everything is of one of these; each pattern has so many files.
of() { # what, how many, pattern
    count=$(grep -cE "^$3\$" "$work/files")
    verdict "$1" "$([ "$count" = "$2" ] || echo "$count instead of $2 files: $3")"
    grep -vE "^$3\$" "$work/files" >"$work/rest"
    mv "$work/rest" "$work/files"
}
count() { # folder and arguments of find
    find "$@" -type f | wc -l | tr -d ' '
}
of "the commands" 2 'bin/lift(-explore)?'
of "the library, and its names" 3 'lib.*/liblift\.so(\.1(\.[0-9.]+)?)?'
of "pkg-config" 1 'lib.*/pkgconfig/lift\.pc'
of "the headers of the API, as docs/use-a-kernel.md has them" \
    "$(grep '^|' docs/use-a-kernel.md | grep -oE 'lift/[a-z]+\.(h|def)' | sort -u | wc -l)" \
    'include/lift/[a-z]+\.(h|def)'
of "the Fortran module" 1 'include/lift/lift\.f90'
of "the Python module" 2 'lib.*/lift/(__init__|_c)\.py'
of "programs" "$(count programs -maxdepth 1 -name '*.lift')" 'share/lift/programs/[^/]*\.lift'
of "kernels that ship" "$(count programs/tuned)" 'share/lift/programs/tuned/.*'
of "rules" "$(count src/rules -name '*.rules')" 'share/lift/rules/[a-z_]+\.rules'
of "tools" "$(count tools)" 'share/lift/tools/[a-z0-9_]+\.py'
of "documents" "$(count docs)" 'share/doc/lift/docs/.*'
of "documents of the version" 3 'share/doc/lift/(README\.md|CHANGELOG\.md|LICENSE)'
of "examples" "$(count examples)" 'share/doc/lift/examples/.*'
if "$lift" manual >/dev/null 2>&1; then
    pages=$({
        echo lift
        "$lift" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
        "$lift" help db | sed -n 's/^  \([a-z]*\)  .*/\1/p'
    } | wc -l)
    of "pages of the manual" "$pages" 'share/man/man1/lift[a-z-]*\.1'
    of "completion for bash" 2 'share/bash-completion/completions/lift(-explore)?\.bash'
    of "completion for zsh" 1 'share/zsh/site-functions/_lift'
else
    skip "pages of the manual" "this build cannot run its own programs"
fi
verdict "nothing else" "$(cat "$work/files")"

# Nothing of the source tree is looked for: it is run elsewhere, by the files of the prefix.
programs=$prefix/share/lift/programs
mkdir "$work/elsewhere" && cd "$work/elsewhere" || exit 99
expect "an installed program is derived" 0 "mapPar" "$lift" derive "$programs/jacobi2d5.lift" \
    --family omp_blocked
expect "shipped kernels are imported" 0 "" "$lift" db import "$programs/tuned"
expect "and yield a kernel immediately" 0 "GPts/s" "$lift" best jacobi2d5 --device h200
expect "explorations begin with the kernels next to an installed program" 0 "seeds" \
    "$prefix/bin/lift-explore" "$programs/jacobi2d5.lift" --size nx=64,ny=64 --trials 4 \
    --no-final-benchmark --no-naive --db new.db
finish

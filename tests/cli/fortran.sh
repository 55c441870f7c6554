#!/bin/sh
# The installed Fortran module: 'sh tests/cli/fortran.sh ROOT LIFT BUILD SANITIZERS COMPILER...'.
. "$(dirname "$0")/cli.sh"
build=$3
sanitizers=$4

for tool in gfortran pkg-config; do
    command -v $tool >/dev/null 2>&1 || {
        skip "the Fortran module" "$tool is not installed"
        finish
    }
done
flags="-std=f2018 -Wall -Wextra -Werror -O1"
if [ "$sanitizers" != none ]; then
    case "$5" in
        *clang*)
            skip "the Fortran module" "gfortran has not the sanitizers of '$5'"
            finish
            ;;
    esac
    flags="$flags -fsanitize=$sanitizers"
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
fi

run meson install -C "$build" --no-rebuild --quiet --destdir "$work/there"
pc=$(find "$work/there" -name lift.pc)
if [ "$status" -ne 0 ] || [ -z "$pc" ]; then
    not_ok "it installs" "$(cat "$work/err")"
    finish
fi
ok "it installs"
export PKG_CONFIG_PATH="${pc%/*}"
mkdir "$work/bin"
# The script's own variables.
# shellcheck disable=SC2016
printf '#!/bin/sh\nPATH=${PATH#*:}\nexec gfortran %s "$@"\n' "$flags" >"$work/bin/gfortran"
chmod +x "$work/bin/gfortran"
compile='s/^ *//
/\\$/{N
s/\\\n */ /
}
p'
# As the page has it.
line=$(sed -n '/^    gfortran /,/[^\\]$/p' docs/use-a-kernel.md | sed -n "$compile")

sed -n '/^```fortran$/,/^```$/{/^```/{/^```$/q
d
}
p
}' docs/use-a-kernel.md >"$work/program.f90"
verdict "the quick start has at most fifteen lines" \
    "$([ "$(grep -c . "$work/program.f90")" -le 15 ] || cat "$work/program.f90")"
cp programs/heat.lift "$work/heat.lift"
here_too() { # program
    env -C "$work" PATH="$work/bin:$PATH" sh -c "${line:-false}"
}
expect "the line of docs/use-a-kernel.md compiles the quick start" 0 "" here_too
expect "which runs" 0 "a default kernel" env -C "$work" ./program
cp "$here/fortran.f90" "$work/program.f90"
expect "a program of many calls compiles" 0 "" here_too
for case in run mistakes measure; do
    expect "$case" 0 "" env -C "$work" ./program $case f.db
done
if german true; then
    expect "under a locale with a decimal comma" 0 "" german env -C "$work" ./program run
else
    skip "under a locale with a decimal comma" "$no_german"
fi
expect "without a place for the reason, the program ends" 1 "lift: 0 steps" "$work/program" none

# A kernel behind a C function: the page's wrapper and interface, on a grid that the kernel keeps.
mkdir "$work/copy"
sed -n '/^#include "heat.h"$/,/^```$/{/^```$/!p
}' docs/use-a-kernel.md >"$work/copy/wrapper.c"
{
    echo "program copy"
    sed -n '/^    interface$/,/^    end interface$/p' docs/use-a-kernel.md
    echo "   real, allocatable :: u(:, :, :), v(:, :, :)"
    echo "   integer :: x, y, z"
    echo "   allocate(u(256, 256, 256), v(256, 256, 256))"
    echo "   do concurrent(x = 1:256, y = 1:256, z = 1:256)"
    echo "      u(x, y, z) = x + 2*y + 3*z"
    echo "   end do"
    echo "   v = 0"
    echo "   call heat_kernel(u, v)"
    echo '   if (maxval(abs(v - u)) > 0.01) error stop "wrong values"'
    echo '   print "(a)", "right values"'
    echo "end program"
} >"$work/copy/copy.f90"
expect "the header of a kernel" 0 "" \
    "$lift" best programs/heat.lift --emit header -o "$work/copy/heat.h"
# words
# shellcheck disable=SC2086
expect "the wrapper and the interface of the page compile" 0 "" env -C "$work/copy" sh -c \
    "cc -O1 -fopenmp -c wrapper.c && gfortran $flags -fopenmp copy.f90 wrapper.o -o copy -lm"
expect "and the kernel computes on Fortran arrays" 0 "right values" env -C "$work/copy" ./copy
finish

#!/bin/sh
# The installed library in another program: 'sh tests/cli/embed.sh ROOT LIFT BUILD SANITIZERS
# COMPILER...'. Leaks of drivers are ignored.
. "$(dirname "$0")/cli.sh"
build=$3
sanitizers=$4
shift 4
flags="-Wall -Wextra -Werror"
[ "$sanitizers" = none ] || flags="$flags -fsanitize=$sanitizers"
example=$root/examples/embed

for tool in meson pkg-config; do
    command -v $tool >/dev/null 2>&1 || {
        skip "the installed library" "$tool is not installed"
        finish
    }
done

run meson install -C "$build" --no-rebuild --quiet --destdir "$work/there"
pc=$(find "$work/there" -name lift.pc)
if [ "$status" -ne 0 ] || [ -z "$pc" ]; then
    not_ok "it installs" "$(cat "$work/err")"
    finish
fi
ok "it installs"
export PKG_CONFIG_PATH="${pc%/*}" LD_LIBRARY_PATH="${pc%/pkgconfig/*}"
verdict "the library has no names but its own" "$(nm -D --defined-only \
    "$LD_LIBRARY_PATH/liblift.so" | awk '$2 ~ /[A-Z]/ && $3 !~ /^lift_/ { print $3 }')"
prefix=$(dirname "$(find "$work/there" -type d -name bin)")

expect "headers, rules and programs are there" 0 "" test -f "$prefix/include/lift/plan.h" -a \
    -f "$prefix/share/lift/rules/tiling.rules" -a -f "$prefix/share/lift/programs/heat.lift"
expect "the installed command runs" 0 "jacobi2d5" env -C "$work" \
    "$prefix/bin/lift" best "$prefix/share/lift/programs/jacobi2d5.lift" \
    --device host --emit source

{
    echo '#include <lift/plan.h>'
    echo 'void example(const void *const *inputs, void *const *outputs);'
    echo 'void example(const void *const *inputs, void *const *outputs) {'
    sed -n '/#ifndef/q; s/^ \*     //p' "$prefix/include/lift/plan.h"
    echo '}'
} >"$work/header.c"
# shellcheck disable=SC2046,SC2086
expect "the example at the head of the header compiles" 0 "" \
    "$@" $flags -fsyntax-only $(pkg-config --cflags lift) "$work/header.c"

# shellcheck disable=SC2046
expect "the example compiles with pkg-config" 0 "" \
    "$@" $flags -O1 "$example/embed.c" -o "$work/embed" $(pkg-config --cflags --libs lift) -lm
expect "the example plans without a database" 0 "PASSED" "$work/embed" "$example/room.lift"
# As the documents have it, with the compiler at hand, which may be 'ccache cc': it must not find
# the script again. The program finds the library by itself.
mkdir "$work/by-hand" "$work/compiler"
cp "$example/embed.c" "$work/by-hand/program.c"
# The script's own variables.
# shellcheck disable=SC2016
printf '#!/bin/sh\nPATH=${PATH#*:}\nexec %s %s "$@"\n' "$*" "$flags" >"$work/compiler/cc"
chmod +x "$work/compiler/cc"
line=$(sed -n '/^    cc program\.c /{:more
/\\$/{N
s/\\\n */ /
b more
}
s/^ *//p
}' docs/use-a-kernel.md)
expect "the command of docs/use-a-kernel.md compiles and links a program" 0 "" \
    env -C "$work/by-hand" PATH="$work/compiler:$PATH" sh -c "${line:-false}"
expect "and the program runs" 0 "PASSED" \
    env -u LD_LIBRARY_PATH "$work/by-hand/program" "$example/room.lift"
# The first example of the section, where there is no database yet.
mkdir "$work/first"
cp programs/heat.lift "$work/first"
awk '/^## The library/ { here = 1 } here && /^```c/ { on = 1; next } on && /^```/ { exit } on {
    if (/^#include/) { print "#include <stdio.h>\n" $0 "\nstatic float in[256][256][256], out[256][256][256];"
        print "int main(void)\n{\n    int steps = 2;\n    const void *inputs[] = {in};\n    void *outputs[] = {out};"
        print "    in[9][9][9] = 1;" }
    else print
} END { print "    return out[9][9][9] <= 0 || out[9][9][9] >= 1;\n}" }' docs/use-a-kernel.md >"$work/first/first.c"
# shellcheck disable=SC2046
expect "the first example of docs/use-a-kernel.md compiles" 0 "" \
    "$@" $flags -O1 "$work/first/first.c" -o "$work/first/first" $(pkg-config --cflags --libs lift)
expect "and runs without a database" 0 "" env -C "$work/first" ./first
expect "the example measures" 0 "PASSED" "$work/embed" "$example/room.lift" measure
if "$lift" devices 2>/dev/null | grep -q '^opencl:0'; then
    expect "the example runs through OpenCL" 0 "PASSED" \
        env EMBED_DEVICE=opencl:0 "$work/embed" "$example/room.lift"
else
    skip "it runs through OpenCL" "there is no such device"
fi
expect "an unknown device" 1 "no device 'tpu'" \
    env EMBED_DEVICE=tpu "$work/embed" "$example/room.lift"

# Processes connected by MPI; leaks of MPI are ignored.
if echo "#include <mpi.h>" | mpicc -E - >/dev/null 2>&1 && command -v mpirun >/dev/null 2>&1; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    oversubscribe=$(mpirun --version | grep -q "Open MPI\|OpenRTE" && echo --oversubscribe)
    # shellcheck disable=SC2046
    expect "the example of several processes compiles" 0 "" env OMPI_CC="$*" MPICH_CC="$*" \
        mpicc -Wall -Wextra ${flags##*-Werror} "$root/examples/embed/parts.c" -o "$work/parts" \
        $(pkg-config --cflags --libs lift)
    # shellcheck disable=SC2086
    expect "and runs" 0 "PASSED" env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" \
        mpirun $oversubscribe -n 3 "$work/parts" "$root/programs/heat.lift"
else
    skip "the example of several processes" "there is no mpicc, or no mpirun"
fi

run "$lift_explore" "$example/room.lift" --trials 3 --seed 1 --quiet --db "$work/room.db"
expect "the example uses a kernel of a database" 0 "exact (explored" \
    "$work/embed" "$example/room.lift" estimate "$work/room.db"

run meson setup "$work/example" "$example" -Db_sanitize="$sanitizers" -Db_lundef=false
expect "the example builds by its own meson file" 0 "" meson compile -C "$work/example"
expect "and passes its test" 0 "" meson test -C "$work/example"
finish

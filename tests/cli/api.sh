#!/bin/sh
# The installed headers and library as another program sees them: 'sh tests/cli/api.sh ROOT LIFT
# BUILD SANITIZERS COMPILER...'.
. "$(dirname "$0")/cli.sh"
build=$3
sanitizers=$4
shift 4
link_flags=
[ "$sanitizers" = none ] || link_flags=-fsanitize=$sanitizers

run meson install -C "$build" --no-rebuild --quiet --destdir "$work/there"
pc=$(find "$work/there" -name lift.pc)
if [ "$status" -ne 0 ] || [ -z "$pc" ]; then
    not_ok "it installs" "$(cat "$work/err")"
    finish
fi
headers=$(dirname "$(find "$work/there" -name plan.h)")
include=${headers%/lift}
library=$(find "$work/there" -name liblift.so)

# compiler and its arguments: each installed header, with only the installed ones.
alone() {
    for header in "$headers"/*.h; do
        name=lift/${header##*/}
        printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" |
            "$@" -fsyntax-only -Wall -Wextra -Werror -I"$include" - 2>&1 || echo "in $name"
    done
}
verdict "each installed header compiles alone as C17" \
    "$(alone "$@" -std=c17 -pedantic -x c)"
for compiler in g++ clang++; do
    if command -v $compiler >/dev/null 2>&1; then
        verdict "each installed header compiles alone as C++17 by $compiler" \
            "$(alone $compiler -std=c++17 -pedantic -x c++)"
    else
        skip "each installed header compiles alone as C++17" "$compiler is not installed"
    fi
done
for header in "$headers"/*.h; do
    grep -q '^LIFT_API' "$header" && ! grep -q 'extern "C"' "$header" && echo "${header##*/}"
done >"$work/unguarded"
verdict "headers with functions can be included by C++" "$(cat "$work/unguarded")"

# Each declaration begins with LIFT_API; the name precedes the first parenthesis.
cat "$headers"/*.h | grep -v '^#' | tr '\n' ' ' | grep -o 'LIFT_API [^;]*' |
    sed -n 's/^LIFT_API \([^(]*\)(.*/\1/p' | sed 's/.*[ *]//' | sort >"$work/declared"
nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$work/exported"
verdict "the library has the functions of the installed headers, and no others" \
    "$(diff "$work/declared" "$work/exported")"
verdict "they are more than a hundred" "$(awk 'END { if (NR < 100) print NR }' "$work/declared")"
# Functions that are not marked cannot be linked.
cat "$headers"/*.h | grep -vE '^(#|typedef|    return )' | tr '\n' ' ' |
    sed 's/[;{}]\|\*\//&\n/g' | grep -E '^ *[a-z][a-z0-9_ ]*[ *]lift_[a-z0-9_]+\([^)]*\).*;$' >"$work/unmarked"
verdict "each function of these headers is marked" "$(cat "$work/unmarked")"
verdict "the soname has one number" \
    "$(objdump -p "$library" | awk '$1 == "SONAME" && $2 ~ /^liblift\.so\.[0-9]+$/ { good = 1 }
        END { if (!good) print "none" }')"

export PKG_CONFIG_PATH="${pc%/*}" LD_LIBRARY_PATH="${pc%/pkgconfig/*}"
version=$(sed -n 's/^#define LIFT_VERSION "\(.*\)"/\1/p' "$headers/version.h")
cat >"$work/version.c" <<'END'
#include <lift/version.h>
#include <stdio.h>
#if !LIFT_VERSION_AT_LEAST(0, 1, 0) || LIFT_VERSION_AT_LEAST(LIFT_VERSION_MAJOR + 1, 0, 0)
#error "LIFT_VERSION_AT_LEAST"
#endif
int main(void)
{
    return printf("%s %s %d.%d.%d\n", LIFT_VERSION, lift_version(), LIFT_VERSION_MAJOR,
                  LIFT_VERSION_MINOR, LIFT_VERSION_PATCH) < 0;
}
END
# words
# shellcheck disable=SC2046,SC2086
expect "a program about versions compiles" 0 "" "$@" $link_flags "$work/version.c" \
    -o "$work/version" $(pkg-config --cflags --libs lift)
expect "headers, library and macros have one version" 0 "$version $version $version" \
    "$work/version"
expect "the command reports the same version" 0 "lift $version" "$lift" --version
expect "pkg-config reports the same version" 0 "$version" pkg-config --modversion lift
expect "CHANGELOG.md has the version" 0 "" grep "^## $version" CHANGELOG.md

# The best kernel as text, by headers and functions as C++ sees them.
cat >"$work/choose.cc" <<'END'
#include <lift/chosen.h>
#include <cstdio>

int main(int, char **argv)
{
    lift_error error = {};
    lift_source source;
    lift_rules *rules = lift_rules_shipped();
    lift_device *device = lift_device_open("host", &error);
    lift_db *db = lift_db_open(argv[2], LIFT_DB_WRITE, &error);
    lift_choose_options options = {};

    if (!lift_source_load(argv[1], &source, &error) || !device || !db)
        return 1;
    options.source = &source;
    options.rules = rules;
    options.db = db;
    options.device = lift_device_info(device);
    lift_chosen *chosen = lift_choose(&options, &error);
    if (!chosen)
        return 1;
    std::printf("%s\n%s", lift_chosen_how_name(lift_chosen_facts(chosen)->how),
                lift_chosen_facts(chosen)->source);
    lift_chosen_destroy(chosen);
    lift_db_close(db);
    lift_device_close(device);
    lift_rules_destroy(rules);
    lift_source_free(&source);
    lift_error_fini(&error);
}
END
cxx=g++ # of the same make, whose sanitizers the library has
"$@" --version | grep -q clang && cxx=clang++
{
    for header in "$headers"/*.h; do
        echo "#include <lift/${header##*/}>"
    done
    echo 'typedef void any();'
    sed 's/.*/extern any *const of_&; any *const of_& = reinterpret_cast<any *>(\&&);/' "$work/declared"
    echo 'int main() {}'
} >"$work/all.cc"
if command -v $cxx >/dev/null 2>&1; then
    # words
    # shellcheck disable=SC2046,SC2086
    expect "each function can be linked from C++" 0 "" $cxx $link_flags -std=c++17 "$work/all.cc" \
        -o "$work/all" $(pkg-config --cflags --libs lift)
    # words
    # shellcheck disable=SC2046,SC2086
    expect "a program in C++ about kernels compiles and links" 0 "" $cxx $link_flags -std=c++17 \
        -Wall -Wextra -Werror "$work/choose.cc" -o "$work/choose" $(pkg-config --cflags --libs lift)
    expect "and gets a kernel" 0 "#pragma omp" "$work/choose" "$work/small.lift" "$work/none.db"
else
    skip "programs in C++" "$cxx is not installed"
fi

cp -r "$root/examples/embed" "$work/builder"
expect "the example that builds a program in C is made by its Makefile" 0 "" \
    make -C "$work/builder" CC="$*" LDFLAGS="$link_flags"
expect "and runs it" 0 "PASSED" env -u LD_LIBRARY_PATH "$work/builder/builder"
finish

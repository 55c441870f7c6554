#!/bin/sh
# Each header compiles alone and twice; public headers see include/ only.
. "$(dirname "$0")/tap.sh"
: "${CC:=cc}"

compiles() { # header, include folders and macros
    header=$1
    shift
    printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' \
        "$header" "$header" |
        $CC -std=gnu17 -fsyntax-only -Wall -Wextra -Wstrict-prototypes -Wno-unused-function \
            -Werror "$@" -x c - 2>&1
}

for path in include/lift/*.h; do
    verdict "$path compiles alone" "$(compiles "${path#include/}" -Iinclude)"
done
for path in $(find src -name '*.h' | sort); do
    verdict "$path compiles alone" \
        "$(compiles "${path#src/}" -Iinclude -Isrc -D_GNU_SOURCE)"
done
finish

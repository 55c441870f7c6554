#!/bin/sh
# Every C file is as clang-format leaves it. Generated kernels (tests/golden) are not ours.
. "$(dirname "$0")/tap.sh"

what="C files are formatted"
if ! command -v clang-format >/dev/null 2>&1; then
    skip "$what" "clang-format is not installed"
elif ! clang-format --version | grep -q 'version 14\.'; then
    skip "$what" "$(clang-format --version): the style is that of version 14"
else
    folders=
    for folder in src include tests bench; do
        [ ! -d "$folder" ] || folders="$folders $folder"
    done
    # shellcheck disable=SC2086
    verdict "$what" "$(find $folders -path tests/golden -prune -o -name '*.[ch]' -print |
        sort | xargs clang-format --style=file --dry-run -Werror 2>&1 |
        awk -F: '/error:/ { n[$1]++ } END { for (f in n) print f ": not formatted in " n[f] " places" }' | sort)"
fi
finish

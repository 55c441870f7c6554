#!/bin/sh
# Text files that users read and write: programs, rules, scripts, documents.
. "$(dirname "$0")/tap.sh"

folders=
for folder in src programs docs scripts tests/house tests/rules tests/programs; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086
files=$(find $folders \( -name '*.lift' -o -name '*.rules' -o -name '*.sh' -o -name '*.md' \) \
    -print | sort)
for file in README.md CHANGELOG.md CONTRIBUTING.md; do
    [ ! -f "$file" ] || files="$file $files"
done

complain() { # message, pattern
    # shellcheck disable=SC2086
    LC_ALL=C grep -nHP "$2" $files /dev/null | sed "s/^\([^:]*:[0-9]*\):.*/\1: $1/"
}

verdict "no file is empty" "$(for f in $files; do [ -s "$f" ] || echo "$f: empty"; done)"
verdict "lines end without blanks" "$(complain 'blanks at the end' '[ \t\r]$')"
verdict "no tabs" "$(complain 'a tab' '\t')"
verdict "files end with a newline" "$(for f in $files; do
    [ -z "$(tail -c 1 "$f")" ] || echo "$f: no newline at the end"
done)"
files=$(printf '%s\n' $files | grep -E '\.(lift|rules|sh)$')
verdict "programs, rules and scripts are ASCII" "$(complain 'not ASCII' '[^\x00-\x7f]')"
complaints=$(for f in $(printf '%s\n' $files | grep '\.sh$'); do sh -n "$f" 2>&1; done)
verdict "scripts parse" "$complaints"
finish

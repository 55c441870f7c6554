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

# ---- documents
documents=$(find docs bench -name '*.md' 2>/dev/null | sort)
for file in README.md CHANGELOG.md CONTRIBUTING.md; do
    [ ! -f "$file" ] || documents="$file $documents"
done
pages=$(find docs -name '*.md' 2>/dev/null | sort)

# Rows of tables cannot be folded, nor can a line of one word, such as a URL; all else can.
verdict "lines of documents have at most 100 columns" "$(for f in $documents; do
    LC_ALL=C.UTF-8 grep -nP '^.{101}' "$f" | grep -vP '^[0-9]+:( {0,3}\||\s*[-*]? *\S+$)' |
        sed "s|^\([0-9]*\):.*|$f:\1: more than 100 columns|"
done)"
# Commands print the text between their marks, so those tables are exempt.
verdict "cells of tables have at most 200 characters" "$(for f in $pages; do
    LC_ALL=C.UTF-8 awk -v f="$f" '/^<!-- lift / { printed = 1 } /^<!-- end / { printed = 0 }
        !printed && /^ ? ? ?\|/ {
            gsub(/\\\|/, "/")
            n = split($0, cell, "|")
            for (i = 1; i <= n; i++)
                if (length(cell[i]) > 202)
                    print f ":" NR ": a cell of " length(cell[i]) " characters"
        }' "$f"
done)"
verdict "each page begins with what it is for" "$(for f in $pages; do
    sed -n 3p "$f" | grep -q '^This page' || echo "$f:3: no 'This page ...'"
done)"
verdict "sentences of README.md have at most 25 words" "$([ ! -f README.md ] ||
    awk '/^```/ { fence = !fence; next }
        fence || /^    / || /^ *\|/ || /^#/ || /^!/ || /^$/ { print ""; next }
        { printf "%s ", $0 }' README.md | sed 's/\([.?!:;]\) /\1\n/g' |
        awk 'NF > 25 { print NF " words: " $0 }')"
verdict "what documents name is there" "$(for f in $documents; do
    { grep -oE '`(src|tests|bench|include|scripts|examples|programs|docs|meson)/[A-Za-z0-9_/.-]+`' "$f" |
        tr -d '`'
        grep -oE '(^|[^a-z/])docs/[a-z-]+\.md' "$f" | sed 's/^[^d]//'
        grep -oE '\]\([a-z/-]+\.(svg|png|md)\)' "$f" | sed "s|^](\(.*\))|$(dirname "$f")/\1|"
    } | sort -u | while read -r path; do
        case $path in *NAME*) continue ;; esac
        [ -e "$path" ] || echo "$f: there is no $path"
    done
done)"

# 'docs/rule-files.md, Decisions' or '(see Statuses)': a heading of that page, or of the same one, begins so.
# Prints 'page<TAB>words' for each; other words may follow the heading.
sections() { # document
    tr '\n' ' ' <"$1" | tr -s ' ' | sed 's/`[^`]*`//g' |
        grep -oE 'docs/[a-z-]+\.md, "?[A-Z][^.;:)"|]*' | sed 's/, "\?/\t/'
    tr '\n' ' ' <"$1" | tr -s ' ' | grep -oE '\(?\<see [A-Z][^.;:)"|,]*\)' |
        sed "s|^(\?see |$1\t|; s/)$//"
}
verdict "sections that documents name are there" "$(for f in $documents; do
    sections "$f" | sort -u | awk -F'\t' -v f="$f" '{
        found = 0
        while ((getline line < $1) > 0)
            if (line ~ /^##+ / && sub(/^#+ /, "", line) &&
                (index(line, $2) == 1 ||
                    (index($2, line) == 1 && substr($2, length(line) + 1, 1) !~ /[a-z]/)))
                found = 1
        close($1)
        if (!found)
            print f ": " $1 " has no section \047" $2 "\047"
    }'
done)"

files=$(printf '%s\n' $files | grep -E '\.(lift|rules|sh)$')
verdict "programs, rules and scripts are ASCII" "$(complain 'not ASCII' '[^\x00-\x7f]')"
complaints=$(for f in $(printf '%s\n' $files | grep '\.sh$'); do sh -n "$f" 2>&1; done)
verdict "scripts parse" "$complaints"
finish

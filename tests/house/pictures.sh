#!/bin/sh
# The pictures of the documents are those that docs/pictures/make.py draws, and each is shown.
. "$(dirname "$0")/tap.sh"

python=$(command -v python3) || {
    skip "pictures are those of the script" "there is no python3"
    finish
}
verdict "the script runs" "$("$python" docs/pictures/make.py "$work" 2>&1)"
verdict "it makes pictures" "$([ "$(find "$work" -name '*.svg' | wc -l)" -ge 6 ] || ls "$work")"
for made in "$work"/*.svg; do
    name=$(basename "$made")
    verdict "$name is what the script makes" \
        "$(diff -q "$made" "docs/pictures/$name" 2>&1 && grep -L '</svg>' "$made")"
    verdict "$name is shown" "$(grep -qF "pictures/$name)" README.md docs/*.md || echo "by no page")"
done
# results.sh compares the pictures of docs/results.md.
verdict "there are no others" "$(for kept in docs/pictures/*.svg; do
    case $kept in */speed.svg | */copy-bandwidth.svg) continue ;; esac
    [ -f "$work/$(basename "$kept")" ] || echo "$kept"
done)"
finish

#!/bin/sh
# bench/results.py generates the page of results, its pictures and the table of README.md, from rows
# of CSV files. The guide names existing options and families only.
. "$(dirname "$0")/tap.sh"

python=$(command -v python3) || {
    skip "the page of results is that of the script" "there is no python3"
    finish
}
cp README.md "$work"
verdict "the script runs" "$("$python" bench/results.py "$work" 2>&1)"
for file in README.md docs/results.md docs/pictures/speed.svg docs/pictures/copy-bandwidth.svg; do
    verdict "$file is what the script makes" "$(diff "$file" "$work/$file" 2>&1 | head -20)"
done
verdict "the page has at most 150 lines" "$([ "$(wc -l <docs/results.md)" -le 150 ] || wc -l docs/results.md)"

# Without rows, and with one kernel that ships, other tables are empty.
mkdir -p "$work/tree/src/tuner/db/sql" "$work/tree/programs" "$work/tree/docs/pictures" "$work/tree/bench"
cp src/tuner/db/sql/schema.sql src/tuner/db/sql/common.sql "$work/tree/src/tuner/db/sql"
cp docs/pictures/picture.py "$work/tree/docs/pictures"
cp -r programs/tuned "$work/tree/programs"
cp -r bench/results bench/results.py "$work/tree/bench"
for file in "$work"/tree/bench/results/*.csv; do
    sed -n 1p "$file" >"$work/head"
    mv "$work/head" "$file"
done
verdict "the script runs without measured figures" "$("$python" "$work/tree/bench/results.py" 2>&1)"
verdict "no figure is in the text of the page" "$(grep -E '^\|.*[0-9]' "$work/tree/docs/results.md" |
    grep -vE '^\| program |`--seconds [0-9]+' | head -5)"
verdict "nor in a cell that is not measured" "$(grep -E '^\| star3d1r 512[^, ]* ' "$work/tree/docs/results.md" |
    grep -vE '^\| star3d1r 512[^, ]* \| [0-9.]+ \([0-9. to]+\) \| [0-9,.]+ \| [0-9.]+ \|( *\|)* `--seconds [0-9]+`.*$')"

# Explorations: medians of the newest commit, their share of the best one, failures.
printf '<!-- python3 bench/results.py: explorations -->\n<!-- end of explorations -->\n' >"$work/tree/README.md"
explored() { # seconds, seed, status, GPts/s, steps, commit, busy
    echo "p,9x9,single,$5,D,cuda,$1,$2,$3,$4,,,,,,,,,${7:-no},2026-01-01,$6,,lift explore"
}
{
    explored 10 1 0 9 1 old
    explored 10 1 0 5 1 new
    explored 10 2 1 "" "" new
    explored 10 3 0 6 2 new yes
    explored 60 1 0 10 4 new
} >>"$work/tree/bench/results/explored.csv"
verdict "explorations are tabulated" "$("$python" "$work/tree/bench/results.py" 2>&1)"
verdict "medians, and the share of the best known kernel" \
    "$(grep -qE '^[|] p 9[^|]* [|] D [|] 10.00 [|] 4 [|] 50 % [|] 100 % [|] 4 [|]$' "$work/tree/README.md" || cat "$work/tree/README.md")"
verdict "explorations without a kernel" \
    "$(grep -A 1 -F '* D, 10 s: 2 of 3 explorations' "$work/tree/README.md" |
        grep -qxF '  verified kernel and status 0; 50 % of 60 s; other processes disturbed 1.' ||
        cat "$work/tree/README.md")"

# ---- the guide
words() { # of the guide between backquotes, apart at commas and blanks
    grep -oE '`[^`]+`' docs/optimisation-guide.md | tr -d '`' | tr ', ' '\n\n' | sort -u
}
verdict "the guide names options that there are" "$(words | grep -E '^[a-z_]+=[a-z][a-z_0-9]*$' |
    grep -v '^compiler=' | while IFS='=' read -r decision option; do
    grep -qE "^(option .*\b$option\b.* of $decision\b|decision $decision default $option\b)" src/rules/*.rules ||
        echo "no option $option of $decision"
done)"
verdict "and families" "$(words | grep -E '^(omp|shift|unroll|planes|star_split|register_strips)_[a-z_0-9]+$' |
    while read -r name; do
        grep -qE "^(family|option|      ) .*\b$name\b" src/rules/*.rules || echo "no family $name"
    done)"
finish

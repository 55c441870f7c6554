#!/bin/sh
# Queries of a database: one of two precisions, short hashes, missing names, and misspelt names. 'sh
# tests/cli/questions.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

cd "$root" || exit 1
if ! command -v sqlite3 >/dev/null 2>&1; then
    skip "questions" "sqlite3 is not installed"
    finish
    exit
fi
db=$work/tuned.db
run "$lift" db import programs/tuned --db "$db"
query "$db" "DELETE FROM trial WHERE device IN (SELECT id FROM device WHERE runtime = 'host')" # those of a GPU
verdict "kernels of a device that is not here" "$([ "$status" -eq 0 ] || cat "$work/err")"

# ---- precision
ask() { # name, status, text, arguments of 'lift': all of the tuned database
    name=$1 want=$2 text=$3
    shift 3
    expect "$name" "$want" "$text" "$lift" "$@" --db "$db"
}
ask "kernels of a name that has both precisions" 2 "2 kernels fit: choose one by program, --device, \
--size, --precision and --steps:" best star3d1r --emit source
ask "each is named" 2 'star3d1r {"nx":512,"ny":512,"nz":512} of f64 on NVIDIA H200 (cuda)' \
    best star3d1r --emit source
ask "and can be had" 0 "double" best star3d1r --emit source --precision double
ask "so can the other" 0 "float" best star3d1r --emit source --precision single
ask "headings of best have the precision" 0 '{"nx":512,"ny":512,"nz":512} of f32 on' best star3d1r
ask "headings of show, too" 0 '{"nx":512,"ny":512,"nz":512} of f32 on' show star3d1r
ask "headings of the tree, too" 0 '{"nx":512,"ny":512,"nz":512} of f32 on' show star3d1r --tree
run "$lift" show star3d1r --precision double --db "$db"
verdict "show has the option" "$(grep -c ' of f64 on ' "$work/out" | grep -qx 1 &&
    ! grep -q ' of f32 ' "$work/out" || cat "$work/out")"
run "$lift" best star3d1r --json --db "$db"
verdict "JSON has the precision" "$(grep -c '"dtype": "f[36][24]"' "$work/out" | grep -qx 2 ||
    cat "$work/out")"
ask "so has JSON of one kernel" 0 '"dtype": "f64"' best star3d1r --precision double --emit json
ask "a name for other sizes" 1 "(f64); name one by its id, or by --precision single or double" \
    best star3d1r --size nx=256,ny=256,nz=256 --device h200 --emit source
ask "a file is taken as it is written" 0 "float" best programs/star3d1r.lift --emit source
ask "or in the precision that is asked for" 0 "double" \
    best programs/star3d1r.lift --emit source --precision double
ask "a precision that there is not" 1 \
    "no verified kernel of 'heat' with --precision double in the database; without --precision there are: f32" \
    best heat --precision double
ask "no precision at all" 2 "--precision takes 'single' or 'double', not 'half'" show --precision half
ask "rebuild has it" 1 "without --precision there are: f32" db rebuild heat --precision double

# ---- short hashes
id=$(query "$db" "SELECT expr FROM best_kernel WHERE program = 'heat'")
short=$(printf %.12s "$id")
run "$lift" show --expr "$short" --db "$db"
cp "$work/out" "$work/short"
run "$lift" show --expr "$id" --db "$db"
verdict "a short hash shows what the whole does" "$(diff "$work/short" "$work/out")"
verdict "with the derivation" "$(grep -q '^  derivation' "$work/short" || cat "$work/short")"
ask "too short a hash" 1 "is no hash: expected at least 4" show --expr 12
ask "an invalid hash" 1 "no expression begins with '000000000000'" show --expr 000000000000
ask "an expression whose text was left out" 0 "  derivation" show --expr "$(query "$db" \
    "SELECT id FROM expr WHERE bytes = 0 AND id IN (SELECT child FROM deriv) LIMIT 1")"
program=$(query "$db" "SELECT program_id FROM best_kernel WHERE program = 'star3d1r' LIMIT 1")
for command in best show; do
    ask "$command by the id of a program" 0 "star3d1r" $command "$(printf %.12s "$program")"
done
ask "rebuild by it" 1 "no program begins with 'abcdef'" db rebuild abcdef
ask "a report by it" 0 '"title":"star3d1r"' report -p "$(printf %.12s "$program")" --json
cp "$db" "$work/two.db"
query "$work/two.db" "INSERT INTO expr SELECT '$short' || '00000000000000000000', level, size, bytes,
        text FROM expr WHERE id = '$id';
    INSERT INTO program SELECT '${program%????????????????}0000000000000000', 'other', text
        FROM program WHERE id = '$program'"
expect "a hash that is short for two" 1 "more than one expression begins with '$short': " \
    "$lift" show --expr "$short" --db "$work/two.db"
verdict "names them" "$(grep -q "$(printf %.13s "$id")" "$work/err" || cat "$work/err")"
for command in "best" "show" "db rebuild"; do
    # words
    # shellcheck disable=SC2086
    expect "$command of two programs" 1 "more than one program begins with" "$lift" $command \
        "$(printf %.12s "$program")" --db "$work/two.db"
done

# ---- queries without rows
ask "an invalid device" 1 "for --device 'h100' in the database; without --device there are: \
NVIDIA H200 (cuda)" best acoustic --device h100
ask "show likewise" 1 "for --device 'h100' in the database; without --device there are: NVIDIA" \
    show acoustic --device h100
ask "sizes that are none" 1 'without --size there are: {"nx":512,"ny":512,"nz":512}' \
    show heat --size nx=7
ask "two that do not go together" 1 '; there are: {"nx":512,"ny":512,"nz":512} of f32 on NVIDIA' \
    show heat --size nx=7 --device h100
ask "a misspelt program" 1 "of 'acoustik' in the database; did you mean 'acoustic'?" \
    best acoustik
ask "show likewise of a program" 1 "of 'hotspot2' in the database; did you mean 'hotspot2d'?" show hotspot2
ask "an invalid program" 1 "; there are some of: acoustic, " show elephant
ask "a report says so" 0 "; without --size there are:" report --size nx=7 -p heat -o -
ask "a report of some sizes" 0 '"title":"srad"' report --size nx=458 --json
verdict "has no others" "$(grep -o '"title":"heat"' "$work/out")"

# ---- the command lines of a report, as they stand there
small="$work/small.lift"
few="--jobs 1 --no-final-benchmark --max-exprs 4 --quiet --trials 2 --db $work/both.db"
for precision in single double; do
    # options are words
    # shellcheck disable=SC2086
    expect "an exploration in $precision precision" 0 "$precision" sh -c "\$1 $small --precision \
        $precision $few && echo $precision" sh "$lift_explore"
    # shellcheck disable=SC2086
    verdict "its heading" "$(grep -q "best of small .* of f[36][24] on host" "$work/out" || cat "$work/out")"
done
sed -n 's/^  \(next: \)\{0,1\}\(lift [bs].*\)/\2/p' "$work/out" >"$work/lines"
verdict "its command lines have the precision" "$(grep -c 'small --precision double' "$work/lines" |
    grep -qx 2 || cat "$work/lines")"
run "$lift" report "$work/both.db" --json -o "$work/both.json"
report_commands "$work/both.json" >>"$work/lines"
verdict "those of the report, too" "$(grep -c '^lift best .*--precision' "$work/lines" | grep -qx 3 ||
    cat "$work/lines")"
while read -r line; do
    case $line in
        *double*) type=f64 ;;
        *) type=f32 ;;
    esac
    best=$(query "$work/both.db" "SELECT k.expr FROM best_kernel k JOIN problem p ON p.id = k.problem_id
        WHERE p.dtype = '$type'")
    run sh -c "$(dirname "$lift")/$line"
    case $line in
        *"--emit source") verdict "$line" "$(grep -qF "/* expression $best" "$work/out" ||
            head -n 3 "$work/out" "$work/err")" ;;
        *) verdict "$line" "$(grep -q "of $type on" "$work/out" || cat "$work/out" "$work/err")" ;;
    esac
done <"$work/lines"
for type in f32 f64; do
    verdict "the report's heading says $type" "$(grep -qF "\"title\":\"small of $type\"" "$work/both.json" ||
        cat "$work/both.json")"
done
expect "a report of one precision" 0 '"title":"small"' "$lift" report "$work/both.db" --precision double --json
verdict "has only that" "$(grep -o '"dtype":"f32"' "$work/out" | head -n 1)"

# The ids distinguish two programs of one name and precision.
sed 's/0.25f/0.5f/' "$small" >"$work/other.lift"
# shellcheck disable=SC2086
run "$lift_explore" "$work/other.lift" $few
sed -n 's/^  next: \(lift best .*\)/\1/p' "$work/out" >"$work/line"
run sh -c "$(dirname "$lift")/$(cat "$work/line")"
verdict "a name that does not tell is not used" "$(grep -q '0.5f' "$work/out" || cat "$work/line" "$work/err")"
finish

#!/bin/sh
# Lost output is reported: a full standard output, and files that cannot be written completely. 'sh
# tests/cli/outputs.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$(cd "$1" && pwd)
cd "$work" || exit 99
cat >tiny.lift <<'END'
size n = 64 in 4..
stencil tiny(x: [f32]n) -> y = map(v -> sin(2.0f) * v, x)
time x <- y
END
cat >split.lift <<'END'
size n = 64
stencil mix(u, a: [f32]n) -> v = map(((u, a)) -> u + sin(a), zip(u, a))
time u <- v
END
cat >wide.lift <<'END'
size   n=4
stencil wide(x:[f32]n)->y=map(v->v*2.0f,x)
END
expect "a database" 0 "new trials" "$lift" db import "$root/programs/tuned" --db x.db

# ---- the standard output

full() { # arguments of lift: names of commands first
    attempt sh -c '"$@" >/dev/full' sh "$lift" "$@"
    verdict "lift $* on a full disk" "$([ "$status" -eq 1 ] && grep -q \
        '^lift: cannot write the standard output' err ||
        { echo "status $status"; cat err; })"
    echo "$1" >>tested
    [ "$1" != db ] || echo "db $2" >>tested
}
full --version
full help
full help best
full best --help
full best --db x.db
full best jacobi2d5 --db x.db --emit expr --size nx=8192,ny=8192 --device H200
full best --json --db x.db
full show --db x.db
full show --decisions --db x.db
full report x.db -o - -p jacobi2d5
full report x.db -o page.html -p jacobi2d5
full report x.db --json
full db --help
full db stats --db x.db
full db doctor --db x.db
full db export --view best --db x.db
full db import "$root/programs/tuned" --db y.db
full db merge z.db y.db
full db rebuild jacobi2d5 --db x.db --device Xeon
full db prune --keep-top 1 --db y.db
full check tiny.lift
full check --json tiny.lift
full fmt tiny.lift
verdict "with the reason" "$(grep -q ': No space left on device' err || cat err)"
full fmt --check wide.lift
full split split.lift
full derive tiny.lift
full derive tiny.lift --emit term
full rules list
full rules doc
full devices --json
full completion bash
full completion zsh
full manual
full manual best
full explore --help
full explore tiny.lift --trials 1 --no-final-benchmark --device host --db e.db
full run tiny.lift --in x=1 --steps 2 --device host --db e.db
commands() { # arguments of lift that list commands
    "$lift" "$@" | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}
verdict "commands are listed" "$([ "$(commands help | wc -l)" -ge 12 ] &&
    [ "$(commands db --help | wc -l)" -ge 7 ] || { commands help; commands db --help; })"
for command in $(commands help); do
    verdict "$command is among them" "$(grep -qx "$command" tested || echo "it is not")"
done
for command in $(commands db --help); do
    verdict "db $command is among them" "$(grep -qx "db $command" tested || echo "it is not")"
done
attempt sh -c '"$@" >&-' sh "$lift" check tiny.lift
verdict "a closed one" "$([ "$status" -eq 1 ] && grep -q 'standard output: Bad file descriptor' err ||
    cat err)"
run sh -c '"$@" >&-' sh "$lift" fmt -i tiny.lift
verdict "that nothing is written to" "$([ "$status" -eq 0 ] || cat err)"

# ---- files

limited() { # runs with files of at most so many blocks of 512 bytes
    sh -c 'ulimit -f "$1"; shift; exec "$@"' sh "$@"
}
whole() { # what, file, arguments of lift that would change the file: it stays as it is
    what=$1 file=$2
    shift 2
    seq 1000 | head -c 1500 >"$file"
    cp "$file" before
    attempt limited 2 "$lift" "$@"
    verdict "$what: the old file stays" "$([ "$status" -eq 1 ] && cmp before "$file" 2>&1 &&
        grep -q "cannot write '$file': File too large" err || { echo "status $status"; cat err; }
        ls | grep -F part-)"
}
whole "report" page.html report x.db -o page.html
whole "best" best.c best jacobi2d5 --db x.db --size nx=8192,ny=8192 --device H200 --emit source \
    -o best.c
{ cat wide.lift; seq -f "// %.0f" 400; } >long.lift
cp long.lift before
attempt limited 2 "$lift" fmt -i long.lift
verdict "fmt -i: the old file stays" "$([ "$status" -eq 1 ] && cmp before long.lift 2>&1 || cat err
    ls | grep -F part-)"

echo old >real.html
chmod 640 real.html
ln -s real.html link.html
expect "a symbolic link" 0 "" "$lift" report x.db -o link.html -p jacobi2d5
verdict "stays one" "$([ -L link.html ] && grep -q '</html>' real.html || ls -l link.html real.html)"
verdict "and permissions stay" "$([ "$(stat -c %a real.html)" = 640 ] || ls -l real.html)"
ln -s new.html dangling.html
expect "a link to nothing" 0 "" "$lift" report x.db -o dangling.html -p jacobi2d5
verdict "makes the file" "$([ -L dangling.html ] && grep -q '</html>' new.html || ls -l)"
"$lift" report x.db -o /dev/stdout -p jacobi2d5 >page
verdict "/dev/stdout that is a file" "$(head -c 15 page | grep -qi '<!doctype html>' &&
    [ "$(tail -n 1 page)" = /dev/stdout ] || { head -c 80 page; tail -c 80 page; })"
verdict "/dev/stdout that is a pipe" "$(
    [ "$("$lift" report x.db -o /dev/stdout -p jacobi2d5 | tail -n 1)" = /dev/stdout ] || echo "it is not written")"
expect "a device" 0 "" "$lift" report x.db -o /dev/null -p jacobi2d5
verdict "stays one" "$([ -c /dev/null ] || ls -l /dev/null)"
rejected "a full device" 1 "/dev/full" \
    "$lift" report x.db -o /dev/full -p jacobi2d5
rejected "a missing folder" 1 "none/page.html" \
    "$lift" report x.db -o none/page.html

# ---- a database that is made

for blocks in 4 16 72 200 900; do
    expect "an import to a full disk, $blocks blocks" 1 "new.db" limited "$blocks" \
        "$lift" db import "$root/programs/tuned" --db new.db
    verdict "leaves no database, $blocks blocks" "$(ls new.db* 2>/dev/null)"
done
: >empty.db
expect "an import into an empty file on a full disk" 1 "empty.db" limited 16 \
    "$lift" db import "$root/programs/tuned" --db empty.db
verdict "leaves the file" "$([ -f empty.db ] || echo "it is gone")"
finish

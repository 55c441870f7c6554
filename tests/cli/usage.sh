#!/bin/sh
# Statuses and messages of wrong usage and malformed programs; help; the formatter; rules.
. "$(dirname "$0")/cli.sh"

expect "no command: usage" 2 "usage: lift" "$lift"
rejected "unknown command" 2 "'nosuch'" "$lift" nosuch
rejected "a misspelt command" 2 "'exlpore' 'explore'?" "$lift" exlpore
for help in -h --help "-?" help; do
    expect "lift $help" 0 "usage: lift" "$lift" "$help"
done
expect "version" 0 "lift " "$lift" --version
expect "help lists the commands" 0 "explore" "$lift" help
for command in explore check devices best run show report fmt split rules derive; do
    expect "help $command" 0 "Usage: lift $command" "$lift" help $command
    expect "$command -h" 0 "-h, --help" "$lift" $command -h
    expect "$command --nosuhc" 2 "lift $command: no option '--nosuhc'" "$lift" $command --nosuhc
done
expect "explore needs a program" 2 "which program?" "$lift" explore
expect "a missing file" 2 "nosuch.lift" "$lift" explore nosuch.lift
expect "seconds are a number" 2 "'soon'" "$lift" explore "$work/small.lift" --seconds soon
expect "seconds are positive" 2 "'-1'" "$lift" explore "$work/small.lift" --seconds=-1
expect "trials are at least one" 2 "'0'" "$lift" explore "$work/small.lift" --trials 0
expect "technique" 2 "'nosuch'" "$lift" explore "$work/small.lift" --technique nosuch
rejected "a misspelt technique" 2 "'forest'? 'forst'" "$lift" explore \
    "$work/small.lift" --technique forst
rejected "a technique that only bench/search has" 2 "'bandit'" "$lift" explore "$work/small.lift" \
    --technique bandit
run "$lift" explore --technique help
techniques=$(awk '{ print $1 }' "$work/out")
run "$lift" explore --help
for technique in ${techniques:-none}; do
    if has_text "$technique"; then
        ok "the help of --technique names $technique"
    else
        not_ok "the help of --technique names $technique" "$(cat "$work/out")"
    fi
done
rejected "unknown option" 2 "'--nosuch'" "$lift" explore "$work/small.lift" --nosuch
rejected "a misspelt option" 2 "'--prcision' '--precision'?" \
    "$lift" best --prcision=double
expect "a value that looks like an option" 1 "--nosuch" "$lift" best --db --nosuch
expect "options may be shortened" 1 "none.db" "$lift" best --dev host --db "$work/none.db"
rejected "a misspelt device" 1 "'host'? 'hots'" "$lift" explore \
    "$work/small.lift" --trials 1 --no-final-benchmark --device hots --db "$work/x.db"
rejected "a misspelt kind of output" 2 "'host'? --emit 'hots'" "$lift" best --emit hots
rejected "a misspelt target" 2 "'opencl'? --device 'opncl'" "$lift" derive "$work/small.lift" \
    --device opncl
rejected "a misspelt rule" 2 "'mapFuson' 'mapFusion'?" "$lift" rules \
    show mapFuson
rejected "a misspelt action" 2 "'show'?" "$lift" rules shwo
rejected "unknown size" 2 "'small' 'nw'" "$lift" explore "$work/small.lift" --trials 1 --no-final-benchmark --size nw=3 \
    --db "$work/x.db"
expect "malformed size" 2 "'nx'" "$lift" explore "$work/small.lift" --trials 1 --no-final-benchmark --size nx \
    --db "$work/x.db"
rejected "unknown device" 1 "'nosuch'" "$lift" explore "$work/small.lift" --trials 1 --no-final-benchmark \
    --device nosuch --db "$work/x.db"
expect "a missing database" 1 "none.db" "$lift" best small --db "$work/none.db"
expect "a file that is no database" 1 "small.lift" "$lift" best --db "$work/small.lift"
expect "an unknown kind of output" 2 "'nothing'" "$lift" best --emit nothing

complaints=$(for program in tests/errors/*.lift; do
    attempt "$lift_explore" "$program" --trials 1 --no-final-benchmark --db "$work/x.db"
    [ "$status" -eq 2 ] || echo "$program: status $status"
    [ "$(grep -c '\^' "$work/err")" -eq 1 ] || echo "$program: not one caret"
done)
verdict "malformed programs: one message with a caret, status 2" "$complaints"

complaints=$(for program in programs/*.lift; do
    "$lift" fmt "$program" >"$work/once.lift" || echo "$program: status $?"
    "$lift" fmt "$work/once.lift" | cmp -s - "$work/once.lift" || echo "$program: changes again"
done)
verdict "formatting twice is formatting once" "$complaints"
printf 'size   n=8\nstencil s(x:[f32]n)->y=map(a->a+1.0f,x)\n' >"$work/messy.lift"
expect "fmt --check tells" 1 "messy.lift" "$lift" fmt --check "$work/messy.lift"
"$lift" fmt "$work/messy.lift" >"$work/tidy.lift"
expect "fmt -i changes the file" 0 "" "$lift" fmt -i "$work/messy.lift"
verdict "to what fmt prints" "$(cmp "$work/tidy.lift" "$work/messy.lift")$(grep -n 'x:\[' "$work/messy.lift")"
expect "fmt --check is content" 0 "" "$lift" fmt --check "$work/messy.lift"
printf 'size n = \n' >"$work/broken.lift"
cp "$work/broken.lift" "$work/copy.lift"
expect "fmt of a malformed file" 2 "broken.lift" "$lift" fmt -i "$work/broken.lift"
verdict "and leaves it alone" "$(cmp "$work/broken.lift" "$work/copy.lift" 2>&1)"

expect "rules list" 0 "mapFusion(1)" "$lift" rules list
expect "rules show" 0 "macro tiling(d in 1 .. 3) exact like tile(d)" "$lift" rules show 'tiling(2)'
rejected "rules show, without its number" 2 "'anyOfAny' anyOfAny(1) anyOfAny(2) anyOfAny(3)" \
    "$lift" rules show anyOfAny
expect "rules show has the type" 0 "type: [[a]n]((len(x) - n) / s + 1)" "$lift" rules show slideTiling
expect "rules show of an unknown rule" 2 "'nosuch'" "$lift" rules show nosuch
expect "an unknown action of rules" 2 "'lift rules'" "$lift" rules nosuch
cat >"$work/good.rules" <<'END'
rule twice exact
  transpose(transpose(transpose(transpose(x)))) ~> x
END
cat >"$work/bad.rules" <<'END'
rule forgetful exact
  take(m, drop(n, x)) ~> take(m, x)
END
expect "rules check passes" 0 "1 rules passed, 0 failed" "$lift" rules check "$work/good.rules" -n 50
expect "rules check refutes" 1 "0 rules passed, 1 failed" "$lift" rules check "$work/bad.rules" -n 50
printf 'rule x exact\n  map(f ~> x\n' >"$work/broken.rules"
expect "malformed rules" 2 "broken.rules" "$lift" rules check "$work/broken.rules"
printf 'rule odd exact\n  map(f, x) ~> join(map(f, x))\n' >"$work/odd.rules"
expect "rules check refutes mistyped rules" 1 "'join' takes '[[a]m]n', but got '[a]len(x)'" \
    "$lift" rules check "$work/odd.rules" -n 20
expect "no other command takes them" 2 "odd.rules:2:16" "$lift" rules list --rules "$work/odd.rules"
expect "check by one process" 0 "1 rules passed" "$lift" rules check "$work/good.rules" -n 50 -j 1
expect "explore refuses unsound rules" 1 "'forgetful'" "$lift" explore "$work/small.lift" \
    --trials 1 --no-final-benchmark --rules "$work/bad.rules" --db "$work/x.db"
# Former names of options work, and one message names the new one. A command keeps its own option of a former name.
former() { # new name, former option, command
    now=$1
    was=$2
    shift 2
    attempt "$@" "$was" "$was"
    said=$(grep -c "option '${was%%=*}' is now called '--$now'" "$work/err")
    verdict "$was is now --$now" "$([ "$said" -eq 1 ] && ! grep -q "no option" "$work/err" || cat "$work/err")"
}
for pair in tries=1:trials no-plain:no-naive no-final:no-final-benchmark only-final:only-final-benchmark \
    winners-every=1:sync-every rank-seconds=1:rank-timeout; do
    former "${pair#*:}" "--${pair%:*}" "$lift" explore nosuch.lift
done
for pair in points=1:draws fixed:fixed-sizes; do
    former "${pair#*:}" "--${pair%:*}" "$lift" derive nosuch.lift
done
for pair in continue=x:resume plan-seconds=1:explore-seconds exchange-seconds=1:exchange-timeout; do
    former "${pair#*:}" "--${pair%:*}" "$lift" run nosuch.lift
done
rejected "a former name takes values like the new one" 2 "--trials '0'" "$lift" explore "$work/small.lift" --tries 0
expect "run has its own --points" 2 "nosuch.lift" "$lift" run nosuch.lift --points x,y=z
verdict "which no message renames" "$(grep "is now called" "$work/err")"

# Descriptions of options begin in one column, behind the option or on the next line.
for command in explore devices best run show report check fmt split rules derive "db doctor" "db export" "db import" \
    "db merge" "db prune" "db rebuild" "db stats" completion manual; do
    "$lift" $command --help | awk -v command="$command" '/^ +(-[a-zA-Z],|--[a-z])/ && substr($0, 1, 29) !~ /^ *$/ {
        match($0, /--[a-z-]+(=[^ ]*)?/)
        rest = substr($0, RSTART + RLENGTH)
        if (match(rest, /[^ ]/) && length($0) - length(rest) + RSTART != 30) print command ": " $0
    }'
done >"$work/columns"
verdict "descriptions of options begin in one column" "$(cat "$work/columns")"
verdict "no database was made by mistakes" "$(ls "$work"/*.db 2>/dev/null)"
finish

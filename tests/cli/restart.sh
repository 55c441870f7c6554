#!/bin/sh
# Runs that were killed, and files that they left. 'sh tests/cli/restart.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
cat >count.lift <<'END_OF'
size n = 5
stencil count(u: [f32]n) -> (v, sum) = (map(x -> x + 1.0, u), reduce((a, b) -> a + b, 0.0, u))
time (u) <- (v)
END_OF
run_count() { # arguments
    run "$lift" run count.lift --quiet "$@"
}
done_well() { # what: the last command ended well
    verdict "$1" "$([ "$status" -eq 0 ] || cat err)"
}
same() { # what, file, file
    verdict "$1" "$(cmp "$2" "$3" 2>&1)"
}

# ---- records survive

run_count --in u=0 --steps 40 --out u=whole.raw --record sum=whole.sum --record u=whole.npy
done_well "a run with two records"
run_count --in u=0 --steps 20 --checkpoint ck --checkpoint-every 10 --record sum=half.sum --record u=half.npy
done_well "half of it"
rm -f half.sum half.npy # as if it had been killed
run_count --steps 40 --resume ck --out u=rest.raw --record sum=rest.sum --record u=rest.npy
done_well "the rest of it"
same "continued, the grid is that of one run" whole.raw rest.raw
same "a record of a number has all steps" whole.sum rest.sum
same "a record of a grid has all steps" whole.npy rest.npy
verdict "no part of it is missing" "$([ "$(wc -c <rest.sum)" -eq 160 ] || wc -c rest.sum)"
run_count --steps 20 --resume ck --record sum=there.sum
verdict "rows of a checkpoint are written without another step" "$(head -c 80 whole.sum | cmp - there.sum 2>&1)"
expect "a record that begins late is reported" 0 "the checkpoint has 20 rows of 'sum', which no --record writes; the checkpoint has no rows of 'v'" \
    "$lift" run count.lift --steps 40 --resume ck --record u=u.npy --record v=v.raw --checkpoint late --checkpoint-every 40
verdict "and has the steps from there on" "$([ "$(wc -c <v.raw)" -eq 400 ] || wc -c v.raw)"
expect "a run that ends before its record begins" 2 "checkpoint 'late' is of step 40: --steps 10 is before it" \
    "$lift" run count.lift --steps 10 --resume late --record v=early.raw

# Killed at some moment, in the midst of steps or of writing.
long() { exec "$lift" run count.lift --quiet --in u=0 "$@"; }
long --steps 3000000 --checkpoint killed --checkpoint-every 50 --record sum=never.sum --snapshot 50:s%d.raw >out 2>err &
pid=$!
await test -s killed
kill -KILL $pid
wait $pid 2>/dev/null
step=$(sed -n 's/^step //p;/^$/q' killed | head -n 1)
run_count --steps $((step + 25)) --resume killed --record sum=killed.sum
done_well "a killed run continues"
run_count --in u=0 --steps $((step + 25)) --record sum=straight.sum
same "and records equal those of one run" straight.sum killed.sum

# ---- NaN and infinities stop a run

cat >grow.lift <<'END_OF'
size n = 3, m = 5
param limit: f32 = 1.0
stencil grow(u: [[f32]m]n, k: [i32]1) -> (v, later) =
    (map2(x -> if k[0] > 28i && x > limit then x / 0.0 else x, u), map(i -> i + 1i, k))
time (u, k) <- (v, later)
END_OF
grow() { # arguments; element [1][3] is infinite after step 30
    attempt "$lift" run grow.lift --quiet --in k=0 --in 'u=(i, j) => if i == 1 && j == 3 then 2.0 else 0.5' "$@"
}
grow --steps 100 --check-finite 7 --checkpoint grow.ck --checkpoint-every 10 --record k=grow.k --out v=grow.v \
    --snapshot 35:g%d.raw
verdict "an infinity stops a run" "$([ "$status" -eq 1 ] && grep -qF \
    "1 of 15 elements of 'u' are not finite after step 30, the first is inf at [1][3]: the run stops at step 30 of 100" err ||
    { echo "status $status"; cat err; })"
verdict "its checkpoint is the last finite one" "$(grep -aq '^step 20$' grow.ck || grep -a '^step' grow.ck)"
verdict "its record has the steps up to there" "$([ "$(wc -c <grow.k)" -eq 120 ] || wc -c grow.k)"
verdict "nothing else is written" "$(ls grow.v g35.raw 2>/dev/null)"
grow --steps 100 --check-finite 7
verdict "looks come every so many steps" "$([ "$status" -eq 1 ] && grep -q "after step 35, .*: the run stops at step 35" err || cat err)"
grow --steps 100 --check-finite no --out v=grow.v
verdict "no looks, if that is wanted" "$([ "$status" -eq 0 ] && [ -s grow.v ] || cat err)"
grow --steps 100000000 --check-finite auto
verdict "looks by the time find it, too" "$([ "$status" -eq 1 ] && grep -q "the run stops at step" err || cat err)"
ends_with 2 "$lift" run grow.lift --check-finite 0
verdict "zero steps are none" "$(grep -q "expected a number above 0, auto or no" err || cat err)"

# ---- parts of files

sleep 0 &
dead=$!
wait $dead
: >"a.npy.part-$dead"
: >"s_0100.raw.part-$dead"
: >"a.npy.part-$$"
: >"a.npy.part-$dead.kept"
: >"b.npy.part-$dead"
run_count --in u=0 --out v=a.npy --snapshot 100:s_%04d.raw
verdict "parts that dead processes left go" "$([ "$status" -eq 0 ] && ls | grep "^[as].*part-$dead\$")"
verdict "and nothing else" "$(ls "a.npy.part-$$" "a.npy.part-$dead.kept" "b.npy.part-$dead" 2>&1 >ls.out)"
rm -f ./*.part-*

# ---- before anything is compiled

rejected "no checkpoint there" 2 "'absent'" env LIFT_CC=false "$lift" run count.lift --resume absent
printf 'lift checkpoint 3\nprogram count\n' >old
expect "an older version" 2 "a checkpoint of version '3'" env LIFT_CC=false "$lift" run count.lift --resume old
expect "other sizes, before" 2 "line 3: 'sizes {\"n\":6}' is expected" env LIFT_CC=false "$lift" run count.lift --size n=6 \
    --resume ck --steps 40

# ---- edited checkpoints are rejected

edited() { # what, sed script
    sed "$2" ck >edited
    attempt "$lift" run count.lift --quiet --steps 40 --resume edited
    verdict "edited: $1" "$([ "$status" -eq 2 ] && grep -q "^lift: checkpoint 'edited'\|^lift: 'edited'" err || { echo "status $status"; cat err; })"
}
edited "the step" 's/^step 20/step 10/'
edited "a step ahead" 's/^step 20/step 30/'
edited "a step with a blank" 's/^step 20/step  20/'
edited "a step with a zero" 's/^step 20/step 020/'
edited "the kernel" '/^kernel/s/[0-9a-f]$/x/'
edited "another kernel" '/^kernel /y/0123456789abcdef/123456789abcdef0/'
edited "rows of a record" 's/^\(record sum.*\) 20$/\1 19/'
edited "more rows" 's/^\(record sum.*\) 20$/\1 21/'
edited "rows without end" 's/^\(record sum.*\) 20$/\1 999999999999999999/'
edited "another record" 's/^record sum/record v/'
edited "a record of no array" 's/^record sum/record w/'
edited "a record that is gone" '/^record sum/d'
edited "the hash" '/^hash /y/0123456789abcdef/123456789abcdef0/'
edited "no hash" '/^hash /d'
edited "the version" '1s/4/3/'
edited "a line more" '/^step/a\
step 20'
for at in 256 320 832; do # elements of the state and of both records
    { head -c $at ck; printf '\001'; tail -c +$((at + 2)) ck; } >edited
    attempt "$lift" run count.lift --quiet --steps 40 --resume edited
    verdict "a byte at $at" "$([ "$status" -eq 2 ] && grep -q "is damaged" err || { echo "status $status"; cat err; })"
done
finish

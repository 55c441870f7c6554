#!/bin/sh
# Time loops on grids of files. 'sh tests/cli/run.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
jacobi=$root/programs/jacobi2d5.lift
acoustic=$root/programs/acoustic.lift
go() { # arguments of 'lift run', without what it prints
    run "$lift" run --quiet "$@"
}
done_well() { # what: the last command ended well
    verdict "$1" "$([ "$status" -eq 0 ] || cat "$work/err")"
}
same() { # what, file, file
    verdict "$1" "$(cmp "$2" "$3" 2>&1)"
}
# The elements of a raw file of f32, one a line.
elements() { # file
    od -An -v -t f4 -w4 "$1" | tr -d ' '
}

# ---- results

# Five points by the text of the program, in double precision: the border is kept.
grid='grid=(i, j) => sin(0.7 * i) + 0.3 * j - 1.0'
go "$jacobi" --size nx=13,ny=11 --in "$grid" --steps 7 --out out=out.raw --snapshot 7:first.raw%d,grid
done_well "a run"
awk 'BEGIN {
    for (i = 0; i < 11; i++)
        for (j = 0; j < 13; j++)
            a[i, j] = sin(0.7 * i) + 0.3 * j - 1
    for (t = 0; t < 7; t++) {
        for (i = 0; i < 11; i++)
            for (j = 0; j < 13; j++)
                if (i % 10 && j % 12) {
                    s = 15 * a[i, j] + 5 * (a[i - 1, j] + a[i + 1, j]) + 12 * (a[i, j - 1] + a[i, j + 1])
                    b[i, j] = s / 118
                } else
                    b[i, j] = a[i, j]
        for (k in b)
            a[k] = b[k]
    }
    for (i = 0; i < 11; i++)
        for (j = 0; j < 13; j++)
            print a[i, j]
}' >wanted
elements out.raw >got
verdict "is what the mathematics say" "$(paste wanted got | awk '
    { d = $1 - $2; if (d > 1e-5 || d < -1e-5) print "element " NR ": " $2 " instead of " $1 }
    END { if (NR != 143) print NR " elements" }' | head -n 5)"
same "the input of the next step is the output" out.raw first.raw7

expect "an input is given once" 2 "'grid' is given twice" "$lift" run "$jacobi" --size nx=13,ny=11 --in "$grid" --in "$grid"

# Several shots in one launch are as each by itself.
for form in 3 1; do
    if [ $form -eq 3 ]; then
        body='map3(step, zip3(prev, slide3((1, 3, 3), 1, pad3((0, 1, 1), (0, 1, 1), constant 0.0, cur)),
            array(shots, fun(s => c))))'
    else
        body='map((p, u) => map2((q, v, d) => step((q, array(1, i => v), d)),
            zip2(p, slide2(3, 1, pad2(1, 1, constant 0.0, u)), c)), zip(prev, cur))'
    fi
    cat >shots.lift <<END
exact
size nx = 13, ny = 11, shots = 1
type grid = [[f32]nx]ny
fun step((p, w, c)) = 2.0 * w[0][1][1] - p +
    c * (w[0][0][1] + w[0][1][0] + w[0][1][2] + w[0][2][1] - 4.0 * w[0][1][1])
stencil waves(prev: [grid]shots, cur: [grid]shots, c: grid) -> next = $body
time (prev, cur) <- (cur, next)
END
    c='c=(y, x) => 0.1 + 0.01 * y'
    for s in 0 1 2; do
        go shots.lift --in prev=0 --in "$c" --in "cur=(s, y, x) => sin(0.3 * ($s + 1) * x + 0.2 * y)" \
            --steps 5 --out next=shot$s.raw
    done
    go shots.lift --size shots=3 --in prev=0 --in "$c" --in "cur=(s, y, x) => sin(0.3 * (s + 1) * x + 0.2 * y)" \
        --steps 5 --out next=shots.raw
    done_well "several shots, form $form"
    cat shot0.raw shot1.raw shot2.raw >single.raw
    same "are as one by one, form $form" single.raw shots.raw
    [ $form -eq 1 ] || cp shots.raw first.raw
done
same "in either form" first.raw shots.raw

# Two grids that change places; one step at a time, by files.
pulse='cur=(z, y, x) => exp(-0.2 * ((x - 4) * (x - 4) + (y - 5) * (y - 5) + (z - 3) * (z - 3)))'
box=nx=11,ny=9,nz=7
go "$acoustic" --size $box --in prev=0 --in "$pulse" --steps 10 --out prev=prev.npy --out next=next.npy \
    --snapshot 4:s_%03d.npy --snapshot "5:t%d.raw,prev"
done_well "acoustic"
verdict "snapshots" "$(for f in s_004.npy s_008.npy t5.raw t10.raw; do [ -s $f ] || echo "no $f"; done
    [ "$(ls s_* t* | wc -l)" -eq 4 ] || ls)"
go "$acoustic" --size $box --in prev=0 --in "$pulse" --out prev=p.npy --out cur=c.npy
n=1
while [ $n -lt 10 ]; do
    go "$acoustic" --in prev=p.npy --in cur=c.npy --out prev=p.npy --out cur=c.npy
    n=$((n + 1))
    [ $n -ne 4 ] || same "a snapshot is the state then" c.npy s_004.npy
done
done_well "single steps, of the sizes of the files"
same "single steps give the same" c.npy next.npy
same "for both grids" p.npy prev.npy
tail -c +129 prev.npy >prev.raw
same "raw elements are those of a .npy file" prev.raw t10.raw
go "$acoustic" --size $box --in prev=prev.raw --in cur=next.npy --out next=a.npy
go "$acoustic" --in prev=prev.npy --in cur=next.npy --out next=b.npy
same "raw files are read" a.npy b.npy

# Parameters, double precision, integers, and outputs that are no state.
cat >waves.lift <<'END'
size n = 9
param k: f64 = 0.5
stencil waves(a: [f64]n, c: [i32]n, b: [f64]n) -> (x, z, y) =
    (map(t -> k * t.0 + t.1, zip(a, b)), map(t -> t + 1i, c), map(t -> 2.0d * t, b))
time (a, c) <- (x, z)
END
go waves.lift --in a=1 --in 'c=i => i' --in b=0.25 --in k=1 --steps 3 --out x=x0.raw --out c=x1.raw \
    --out y=y.raw --out b=b.raw
done_well "several arrays"
verdict "and parameters" "$([ "$(od -An -v -t f8 -w8 x0.raw | sort -u | tr -d ' ')" = 1.75 ] || od -t f8 x0.raw)"
verdict "and integers" "$([ "$(od -An -v -t d4 -w36 x1.raw | tr -s ' ')" = " 3 4 5 6 7 8 9 10 11" ] || od -t d4 x1.raw)"
verdict "and outputs that are no state" "$([ "$(od -An -v -t f8 -w8 y.raw | sort -u | tr -d ' ')" = 0.5 ] || od -t f8 y.raw)"
cat >once.lift <<'END'
size n = 9
stencil once(x: [f32]n) -> y = map(t -> 2.0 * t, x)
END
go once.lift --in x=21 --out y=once.raw
verdict "a program without a time loop has one step" \
    "$([ "$(elements once.raw | sort -u)" = 42 ] || cat err)"
expect "and no second one" 2 "'once' has no time loop" "$lift" run once.lift --in x=1 --steps 2

# ---- temporal blocking
"$lift_explore" "$jacobi" --steps 3 --size nx=13,ny=11 --trials 3 --db three.db --quiet --no-seeds --jobs 1 >out 2>err
expect "a kernel of several steps" 0 "3 steps a launch" "$lift" run "$jacobi" --size nx=13,ny=11 --in "$grid" \
    --steps 7 --out out=three.raw --db three.db
elements three.raw >got
verdict "and single ones for the rest" "$(paste wanted got | awk '
    { d = $1 - $2; if (d > 1e-5 || d < -1e-5) print "element " NR ": " $2 " instead of " $1 }' | head -n 5)"
same_as_wanted() { # name, file
    elements "$2" >got
    verdict "$1" "$(paste wanted got | awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) print }' | head -n 5)"
}
expect "the launches are counted" 0 "launches    2 launches of 3 time steps, 1 single step" "$lift" run "$jacobi" \
    --size nx=13,ny=11 --in "$grid" --steps 7 --out out=three.raw --db three.db
expect "not across snapshots" 0 "steps       7" "$lift" run "$jacobi" --size nx=13,ny=11 --in "$grid" --steps 7 \
    --db three.db --snapshot 2:u%d.raw
verdict "snapshots need kernels of one step" "$(grep -q 'launches    7 single steps' out || cat out)"
expect "but between them" 0 "launches    2 launches of 3 time steps, 1 single step" "$lift" run "$jacobi" \
    --size nx=13,ny=11 --in "$grid" --steps 7 --db three.db --snapshot 4:v%d.raw --out out=three.raw
same_as_wanted "with the same result" three.raw
go "$jacobi" --size nx=13,ny=11 --in "$grid" --steps 4 --out out=four.raw
verdict "and the same snapshot" "$(elements four.raw >four && elements v4.raw | paste four - | awk '
    { d = $1 - $2; if (d > 1e-5 || d < -1e-5) print }' | head -n 5)"
expect "checkpoints as well" 0 "launches    2 launches of 3 time steps, 1 single step" "$lift" run "$jacobi" \
    --size nx=13,ny=11 --in "$grid" --steps 7 --db three.db --checkpoint three.ck --checkpoint-every 4 --out out=three.raw
expect "from which a run resumes" 0 "launches    1 launch of 3 time steps" "$lift" run "$jacobi" --size nx=13,ny=11 \
    --steps 7 --db three.db --resume three.ck --out out=three.raw
same_as_wanted "with the same result, too" three.raw
expect "a search at odd steps" 0 "launches    7 single steps" "$lift" run "$jacobi" --size nx=13,ny=11 --in "$grid" \
    --steps 7 --db three.db --check-finite 2 --out out=three.raw
same_as_wanted "computes them all" three.raw
"$lift_explore" "$jacobi" --size nx=13,ny=11 --trials 1 --db three.db --quiet --no-seeds --jobs 1 >out 2>err
if command -v sqlite3 >/dev/null 2>&1; then
    sqlite3 three.db "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'" >drop.sql
    sqlite3 three.db "$(cat drop.sql); DELETE FROM finalist; UPDATE trial SET median_ns = 1000 *
        (SELECT iif(steps = 1, 2, 3) FROM problem WHERE problem.id = trial.problem) WHERE median_ns > 0"
    expect "a record of each step" 0 \
        "launches    7 single steps; a kernel of 3 time steps a launch is 2.00 times as fast, but --record" \
        "$lift" run "$jacobi" --size nx=13,ny=11 --in "$grid" --steps 7 --db three.db --record out=each.raw --out out=three.raw
    same_as_wanted "has the same result" three.raw
    verdict "and the last row is the result" "$(tail -c 572 each.raw | cmp - three.raw 2>&1)"
else
    skip "a record of each step" "sqlite3 is not installed"
fi
expect "a plan on the spot" 0 "steps       1" "$lift" run "$jacobi" --size nx=17,ny=11 --in grid=1 --db new.db --explore-seconds 2
expect "is kept" 0 "17" "$lift" best jacobi2d5 --db new.db
expect "and reused" 0 "exact" "$lift" run "$jacobi" --size nx=17,ny=11 --in grid=1 --db new.db

# ---- stopped, and continued
far() { # arguments; in a process of its own
    exec "$lift" run "$acoustic" --quiet --in prev=0 --in "$pulse" --size $box "$@"
}
far --steps 200000000 --checkpoint ck --checkpoint-every 1000 >out 2>err &
pid=$!
await test -s ck
kill -TERM $pid
status=0
wait $pid || status=$?
verdict "stopped by a signal" "$([ $status -eq 143 ] && grep -q 'stopped after step' err || { echo $status; cat err; })"
step=$(sed -n 's/^step //p;/^$/q' ck | head -n 1)
verdict "the checkpoint is of that step" "$(grep -q "after step $step:" err || { echo "$step"; cat err; })"
last=$((step + 7))
(far --steps $last --resume ck --out next=continued.npy --out prev=before.npy)
(far --steps $last --out next=whole.npy --out prev=whole_before.npy)
same "resumes with the same results" continued.npy whole.npy
same "for both" before.npy whole_before.npy
run "$lift" run "$acoustic" --size $box --resume ck --steps "$step" --out next=there.npy
done_well "a checkpoint of the last step is the result"
verdict "nothing else is left" "$(ls | grep part)"

expect "another program's" 2 "line 2: 'program jacobi2d5" "$lift" run "$jacobi" --size nx=13,ny=11 --resume ck
expect "other sizes" 2 'line 3: '"'"'sizes {"nx":12' "$lift" run "$acoustic" --size nx=12,ny=9,nz=7 --resume ck --steps $last
expect "a step before the checkpoint" 2 "is before it" "$lift" run "$acoustic" --size $box --resume ck --steps 1
head -c 3000 ck >short
expect "a truncated one" 2 "has 3000 bytes" "$lift" run "$acoustic" --size $box --resume short --steps $last
head -c 100 ck >short
expect "one without most of its head" 2 "checkpoint 'short', line" "$lift" run "$acoustic" --size $box --resume short --steps $last
{ head -c 4000 ck; printf 'x'; tail -c +4002 ck; } >damaged
expect "a damaged one" 2 "is damaged" "$lift" run "$acoustic" --size $box --resume damaged --steps $last
sed 's/^step .*/step -1/' ck >negative
expect "an invalid step" 2 "is no step" "$lift" run "$acoustic" --size $box --resume negative --steps $last
expect "no checkpoint" 2 "is no checkpoint" "$lift" run "$acoustic" --size $box --resume next.npy --steps $last
go "$root/programs/acoustic_iso.lift" --size nx=11,ny=10,nz=9 --in u=1 --in v=1 --in vp=2 --steps 2 --checkpoint ck.iso \
    --checkpoint-every 2
expect "a resumed run rejects another constant input" 2 "'input vp f32 [9][10][11] " "$lift" run \
    "$root/programs/acoustic_iso.lift" --size nx=11,ny=10,nz=9 --in vp=3 --resume ck.iso --steps 3
expect "with the same constant input it resumes" 0 "from step 2 on" "$lift" run "$root/programs/acoustic_iso.lift" --size nx=11,ny=10,nz=9 \
    --in vp=2 --resume ck.iso --steps 3

# ---- errors
expect "missing inputs" 2 "  cur: f32 [7][9][11]" "$lift" run "$acoustic" --size $box --in prev=0
rejected "a misspelt input" 2 "'prv' 'prev'? 'acoustic'" \
    "$lift" run "$acoustic" --in prv=0
rejected "a misspelt output" 2 "'next'? 'acoustic' 'nxt'" "$lift" run "$acoustic" --in prev=0 --in cur=0 --out nxt=a.npy
rejected "files that contradict each other" 2 "'nx' 11 'next.npy' 12 'wide.npy'" sh -c \
    "'$lift' run '$acoustic' --size nx=12,ny=9,nz=7 --in prev=0 --in cur=1 --out cur=wide.npy -q &&
    '$lift' run '$acoustic' --in prev=next.npy --in cur=wide.npy"
rejected "sizes that contradict a file" 2 "'nx' 12 --size 11 'next.npy'" \
    "$lift" run "$acoustic" --size nx=12 --in prev=0 --in cur=next.npy
rejected "another type" 2 "'next.npy' f32 [7][9][11] 'cur' f64" \
    "$lift" run "$acoustic" --precision double --in prev=0 --in cur=next.npy
{
    printf '\223NUMPY\001\000\166\000'
    printf "%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1), }"
    printf '\0\0\0\0'
} >eight.npy
printf 'size n = 4\nstencil one(x: [[f32]n]n) -> y = map2(v -> v * 2.0f, x)\n' >one.lift
expect "eight dimensions" 2 "'eight.npy' has f32 [1][1][1][1][1][1][1][1]: input 'x' is f32 [1][1]" \
    "$lift" run one.lift --in x=eight.npy
many() { # dimensions: a program
    awk -v n="$1" 'BEGIN {
        for (f = "v -> v * 2.0f"; ++i < n;) f = "r" i " -> map(" f ", r" i ")"
        for (t = "f32"; k++ < n;) t = "[" t "]1"
        print "stencil many(x: " t ") -> y = map(" f ", x)"
    }'
}
many 8 >many.lift
rejected "a program of eight dimensions" 2 "'x' 8 7" \
    "$lift" run many.lift --in x=1
for n in 24 25 64 130; do
    many $n >many.lift
    expect "a check of $n dimensions" 0 "the program is too large to follow them" "$lift" check many.lift
done
expect "another number of dimensions" 2 "input 'grid' is f32 [7][9]" "$lift" run "$jacobi" --size nx=9,ny=7 --in grid=next.npy
expect "a raw file of another length" 2 "has 2772 bytes: input 'grid' is f32 [11][13], 572 bytes" \
    "$lift" run "$jacobi" --size nx=13,ny=11 --in grid=prev.raw
head -c 1000 next.npy >cut.npy
rejected "a truncated .npy file" 2 "872 2772 'cut.npy' 'cur'" \
    "$lift" run "$acoustic" --in prev=0 --in cur=cut.npy
sed "s/'<f4'/'>f4'/" next.npy >big.npy
rejected "another order of bytes" 2 "'>f4' 'big.npy' 'cur'" "$lift" run "$acoustic" --in prev=0 --in cur=big.npy
sed 's/False/True /' next.npy >fortran.npy
expect "Fortran order" 2 "C order is expected" "$lift" run "$acoustic" --in prev=0 --in cur=fortran.npy
rejected "no file" 2 "'nosuch' 'cur'" "$lift" run "$acoustic" --in prev=0 --in cur=nosuch
mkfifo pipe
expect "a pipe" 2 "it is a pipe" timeout 60 "$lift" run "$acoustic" --in prev=0 --in cur=pipe
expect "a device to write to" 2 "it is a device, not a file" "$lift" run "$acoustic" --in prev=0 --in cur=0 --out next=/dev/null
rejected "no folder to write to" 2 "'nosuch/a.npy' 'nosuch/'" "$lift" run "$acoustic" --in prev=0 --in cur=0 --out next=nosuch/a.npy
expect "an invalid function" 2 "error: " "$lift" run "$jacobi" --size nx=5,ny=5 --in 'grid=(i, j) => i +* j'
expect "a function over a large grid" 0 "" "$lift" run --quiet "$jacobi" --size nx=2100,ny=2050 \
    --in 'grid=(i, j) => 0.5 * i + j' --out out=large.raw
verdict "its last element" "$(tail -c 4 large.raw | od -An -v -t f4 | grep -q ' 3123.5' || tail -c 4 large.raw | od -An -t f4)"
rm -f large.raw
expect "a number beyond the type's range" 2 "input 'grid' is of f32 and cannot be 1e+300" "$lift" run "$jacobi" \
    --size nx=5,ny=5 --in grid=1e300
expect "a pattern without a place" 2 "one %d or %05d" "$lift" run "$acoustic" --snapshot 5:s.npy
expect "one with another conversion" 2 "one %d or %05d" "$lift" run "$acoustic" --snapshot 5:s%d%s.npy
expect "no program" 2 "which program?" "$lift" run
rejected "a word without a value" 2 "--in 'grid' NAME=VALUE" "$lift" run "$jacobi" --in grid
rm -f nan.npy
expect "elements that are not finite" 1 "elements of 'grid' are not finite after step 2, the first is nan at [0][0]" "$lift" run \
    "$jacobi" --size nx=5,ny=5 --in grid=nan --steps 2 --out out=nan.npy
verdict "is written all the same" "$([ -s nan.npy ] || echo no)"

# ---- fields of a layer that are stored there only

wave='u=(z, y, x) => exp(-0.1 * ((x - 6) * (x - 6) + (y - 12) * (y - 12) + (z - 7) * (z - 7)))'
damping() { # z, y, x of an element in the whole
    echo "(z, y, x) => 0.01 * (max(0, 5 - min($1, 22 - $1)) + max(0, 5 - min($2, 24 - $2)) +
        2 * max(0, 5 - min($3, 28 - $3)))"
}
# Element i of an array of eta along a dimension of n points.
both() { echo "(if $1 < 6 then $1 else $1 + $2 - 12)"; }
layered='--size nx=29,ny=25,nz=23,w=5 --in vp=9 --in v=0 --steps 12'
go "$root/programs/acoustic_pml.lift" $layered --in "$wave" --in phi=0 \
    --in "eta=$(damping z y x)" --out next=whole.raw
done_well "a layer in whole grids"
go "$root/examples/seismic/acoustic_pml_layer.lift" $layered --in "$wave" \
    --in phi_z=0 --in phi_y=0 --in phi_x=0 --in "eta_z=$(damping "$(both z 23)" y x)" \
    --in "eta_y=$(damping '(z + 4)' "$(both y 25)" x)" \
    --in "eta_x=$(damping '(z + 4)' '(y + 4)' "$(both x 29)")" --out next=parts.raw
done_well "a layer in separate arrays"
elements parts.raw >parts.txt
verdict "both are one simulation" "$(elements whole.raw | paste - parts.txt | awk '
    { a = $1 - $2; b = $1; if (a < 0) a = -a; if (b < 0) b = -b
      if (a > apart) apart = a; if (b > most) most = b }
    END { if (NR != 16675 || !(apart < 1e-5 * most)) print NR, apart, most }')"

# ---- a long run from files compared with plain C, stopped and resumed: the script works

export OMP_WAIT_POLICY=passive
run sh "$root/bench/shot.sh" --points 41 --steps 24 --seconds 0 --folder shot --db shot.db "$lift"
verdict "a shot compared with plain C" "$([ "$status" -eq 0 ] && grep -q 'the same bits' out &&
    [ "$(grep -c 'differs by' out)" -eq 2 ] && ! grep -q nan out || cat out err)"
verdict "the share of kernels between its steps" \
    "$(grep -q 'kernels [0-9]*\.[0-9] % of the time between' out || cat out)"

# ---- points off the grid

shot=$root/tests/programs/acoustic_shot.lift
quiet="--in u=0 --in v=0 --in vp=9 --in now=0"
printf '# z, y, x\n3.25, 4.5, 6.75\n\n3.5,4,6.5\n' >here.csv
printf '5.5,6.25,8.125\n' >there.csv
shoot() { # steps and more arguments, for both sets of points
    go "$shot" --size nx=19,ny=13,nz=11,nt=20 $quiet \
        --in 'series=(t, s) => exp(-0.05 * (t - 8) * (t - 8)) * (1.0 + s)' --points sat,sw=here.csv \
        --points rat,rw=there.csv --steps "$@"
}
shoot 20 --record trace=trace.raw --out next=all.raw --snapshot 12:u%d.raw,u
done_well "sources and receivers"
verdict "a receiver hears the wave later" "$(elements trace.raw | awk '
    { a = $1 < 0 ? -$1 : $1; if (NR < 3 && a > 0) print "at step " NR; if (a > most) most = a }
    END { if (NR != 20 || most < 0.01) print NR " steps, at most " most }')"
shoot 20 --record trace=again.raw --out next=again.all
same "the same bits again" trace.raw again.raw
same "of the grid, too" all.raw again.all
shoot 12 --checkpoint shot.check --checkpoint-every 12
shoot 20 --resume shot.check --record trace=rest.raw --out next=rest.all
same "a resumed run" all.raw rest.all
tail -c 32 trace.raw >end.raw
same "records the rest" end.raw rest.raw
printf '3,4,18.5\n' >out.csv
rejected "a point outside of the grid" 2 "out.csv:1: 3 18.5 'u' 0 18" \
    "$lift" run "$shot" --size nx=19,ny=13,nz=11 $quiet --in series=0 --points sat,sw=out.csv --points rat,rw=here.csv
printf '3,4,5\n3,x\n' >bad.csv
expect "no number" 2 "bad.csv:2: expected coordinates" \
    "$lift" run "$shot" --size nx=19,ny=13,nz=11 $quiet --in series=0 --points sat,sw=bad.csv --points rat,rw=here.csv
printf '3,4,5\n3,4\0,5\n6,7,8\n' >bad.csv
expect "a byte 0" 2 "bad.csv:2: expected a text, not a byte 0" \
    "$lift" run "$shot" --size nx=19,ny=13,nz=11 $quiet --in series=0 --points sat,sw=bad.csv --points rat,rw=here.csv
printf '3,4,5\n3,4\n' >bad.csv
expect "another number of coordinates" 2 "bad.csv:2: expected the number of coordinates" \
    "$lift" run "$shot" --size nx=19,ny=13,nz=11 $quiet --in series=0 --points sat,sw=bad.csv --points rat,rw=here.csv
rejected "points for other inputs" 2 "i32 [1][3] 'there.csv' 'series' 'rw'" \
    "$lift" run "$shot" --size nx=19,ny=13,nz=11,ns=1 $quiet --in sat=0 --in sw=0 --in rat=0 --points series,rw=there.csv
rejected "one input alone" 2 "WEIGHTS=FILE --points 'sat'" "$lift" run "$shot" --points sat=there.csv
rejected "an unknown array to record" 2 "'traces'" "$lift" run "$shot" --size nx=19,ny=13,nz=11 \
    $quiet --in series=0 --points sat,sw=here.csv --points rat,rw=here.csv --record traces=t.npy

# Few iterations are done by one thread, where others do many: one region of threads a step.
"$lift" derive "$shot" --size nx=40,ny=36,nz=32,nr=20,nt=9 --decide parallel=omp_static --emit source >shot.c 2>err
verdict "one region of threads a step" "$([ "$(grep -c 'omp parallel' shot.c)" -eq 1 ] || grep -n omp shot.c err)"
"$lift" derive "$shot" --size nx=4,ny=3,nz=3,nr=20,nt=9 --decide parallel=omp_static --emit source >shot.c 2>err
verdict "unless there is nothing else" "$([ "$(grep -c 'omp parallel' shot.c)" -gt 1 ] || grep -n omp shot.c err)"

# Threads spin for a short time while they wait, unless the user says how they wait.
printf '#!/bin/sh\necho "spin=$GOMP_SPINCOUNT block=$KMP_BLOCKTIME" >>"%s/waiting"\nexec cc "$@"\n' "$work" >telling-cc
chmod +x telling-cc
waits() { # what, what the compiler sees, setting of the user
    rm -f waiting
    run env -u OMP_WAIT_POLICY -u KMP_BLOCKTIME -u GOMP_SPINCOUNT "LIFT_CC=$work/telling-cc" $3 "$lift" run -q once.lift --in x=1
    verdict "$1" "$([ "$(sort -u waiting)" = "$2" ] || cat waiting err)"
}
waits "threads do not spin for long" "spin=1000 block=1" ""
waits "unless the user wants it" "spin= block=" OMP_WAIT_POLICY=active

# Sources of each shot: 'inject' in a map over them equals separate runs of the shots.
cat >fired.lift <<'END'
exact
size nx = 13, ny = 11, shots = 1, ns = 2, q = 2
type grid = [[f32]nx]ny
fun step(u, v, c) = map2((w, before, k) => 1.5 * w[1][1] - 0.5 * before + k * (w[0][1] + w[2][1] + w[1][0] + w[1][2]),
    zip2(slide2(3, 1, pad2(1, 1, constant 0.0, u)), v, c))
stencil fired(u, v: [grid]shots, c: grid, amp: [[f32]ns]shots, at: [[i32]2]ns, by: [[[f32]q]2]ns) -> next =
    map((u, v, a) => inject(step(u, v, c), (at, by), a), zip(u, v, amp))
time (u, v) <- (next, u)
END
printf '3.25,4.5\n8,7.75\n' >fired.csv
fire() { # arguments
    go fired.lift --in u=0 --in c=0.1 --in 'v=(s, y, x) => 0.01 * x' --points at,by=fired.csv --steps 6 "$@"
}
for s in 0 1 2; do
    fire --in "amp=(s, p) => 0.5 + $s + 10 * p" --out next=fired$s.raw
done
fire --size shots=3 --in 'amp=(s, p) => 0.5 + s + 10 * p' --out next=fired.raw
done_well "sources of several shots"
cat fired0.raw fired1.raw fired2.raw >single.raw
same "are as those of one by one" single.raw fired.raw
# Each step injects, also in a launch of four steps.
"$lift_explore" fired.lift --steps 4 --size shots=3 --trials 2 --max-exprs 2 --no-final-benchmark --db fired.db --quiet \
    --no-seeds --jobs 1 >out 2>err
fire --size shots=3 --in 'amp=(s, p) => 0.5 + s + 10 * p' --out next=fired4.raw --db fired.db
verdict "temporal blocking with sources" "$(grep -q 'launches    1 launch of 4 time steps, 2 single steps' out || cat out err)"
verdict "gives the same" "$(elements fired.raw >got && elements fired4.raw | paste got - | awk '
    { d = $1 - $2; if (d > 1e-4 || d < -1e-4) print } END { if (NR != 429) print NR " elements" }' | head -n 5)"
for how in "host fused omp_static" "host separate_kernel omp_static" "opencl:0 fused threads" "opencl:0 separate_kernel threads"; do
    set -- $how
    case $1 in opencl*) "$lift" devices 2>/dev/null | grep -q '^opencl:0' || { skip "shots, $how" "no OpenCL device"; continue; } ;; esac
    expect "shots, $how" 0 "ok {" "$lift" derive fired.lift --size shots=2 --decide "injection=$2,parallel=$3" --device "$1" --verify
done

# Kernels of both options, on boxes that overlap and reach beyond the grid.
small=nx=13,ny=11,nz=9,ns=3,nr=5,nt=7
for how in "host separate_kernel omp_static" "host fused omp_static" "opencl:0 separate_kernel threads" "opencl:0 fused threads"; do
    set -- $how
    case $1 in opencl*) "$lift" devices 2>/dev/null | grep -q '^opencl:0' || { skip "$how" "no OpenCL device"; continue; } ;; esac
    expect "$how" 0 "ok {" "$lift" derive "$shot" --size $small --decide "injection=$2,parallel=$3" --device "$1" --verify
done
if "$lift" devices 2>/dev/null | grep -q 'sm_90'; then
    expect "CUDA" 0 "ok {" "$lift" derive "$shot" --size $small --decide injection=separate_kernel,parallel=threads \
        --device cuda:sm_90 --build-only
else
    skip "CUDA" "nothing builds for cuda:sm_90 here"
fi

# ---- the line on a terminal
if command -v python3 >/dev/null 2>&1; then
    TERM=xterm run python3 "$root/tests/cli/terminal.py" 60 "$lift" run "$acoustic" --size $box --in prev=0 --in cur=1 \
        --steps 300000
    verdict "a line of progress" "$(grep -q 'step .* of 300,000 .*GPts/s' out && [ "$(sed -n 's/^longest //p' out)" -lt 60 ] ||
        cat out err)"
else
    skip "a line of progress" "python3 is not installed"
fi
finish

#!/bin/sh
# Grids that the ranks of a job share. 'sh tests/cli/ranks.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Leaks of MPI are ignored.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
box=nx=11,ny=9,nz=23
small='nx=5,ny=5,nz=5'

# Kernels of an exact program give the same bits at all sizes.
for name in acoustic heat lbm_d2q9; do
    { echo exact; cat "$root/programs/$name.lift"; } >$name.lift
done
for border in clamp mirror; do
    cat >$border.lift <<END
exact
size nx = 16, ny = 16
fun point(w) = 0.25 * w[0][1] + 0.125 * w[1][0] + 0.5 * w[1][1] - 0.25 * w[3][2]
stencil uneven(u: [[f32]nx]ny) -> v =
    map2(point, slide2((4, 3), 1, pad(1, 2, $border, map(pad(1, 1, $border), u))))
time (u) <- (v)
END
done

# ---- without any MPI
expect "a missing MPI library" 1 "lift: rank 1: LIFT_MPI: nosuch.so: cannot open" \
    env LIFT_MPI=nosuch.so OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$lift" run heat.lift --in grid=1 --size $small
expect "a job of one rank is no job" 0 " of f32 on " \
    env LIFT_MPI=nosuch.so OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 "$lift" run heat.lift --in grid=1 --size $small
expect "a time limit without other ranks" 2 "--exchange-timeout needs --devices, or several ranks" \
    "$lift" run heat.lift --in grid=1 --exchange-timeout 5

kind='' other=''
for try in openmpi mpich; do
    command -v mpirun.$try >/dev/null || continue
    mpirun.$try -n 2 true >/dev/null 2>&1 || continue
    [ -n "$kind" ] && other=$try || kind=$try
done
if [ -z "$kind" ]; then
    skip "several ranks" "no mpirun.openmpi and no mpirun.mpich, or it starts nothing"
    finish
    exit
fi
ranks() { # number, arguments of 'lift run'
    number=$1
    shift
    more=$([ "$kind" != openmpi ] || echo --oversubscribe)
    # shellcheck disable=SC2086
    attempt "mpirun.$kind" $more -n "$number" "$lift" run "$@"
}
go() { # arguments of 'lift run', without what it prints
    run "$lift" run --quiet "$@"
}
same() { # what, file, file: the last command ended well, and the files are the same
    verdict "$1" "$([ "$status" -eq 0 ] || cat err; cmp "$2" "$3" 2>&1)"
}
said() { # what, status, text: of the last command
    verdict "$1" "$([ "$status" -eq "$2" ] || echo "status $status: $(cat err)"
        grep -qF -- "$3" out err || echo "no '$3' in: $(cat out err)")"
}

# ---- the same bits as one process: positions in the grid, boundaries, a periodic grid
pulse='(z, y, x) => exp(-0.2 * ((x - 4) * (x - 4) + (y - 5) * (y - 5) + (z - 3) * (z - 3)))'
go acoustic.lift --size $box --in prev=0.1 --in "cur=$pulse" --steps 9 --out prev=p1.npy --out next=n1.npy \
    --record next=r1.npy --checkpoint ck1 --checkpoint-every 4
ranks 2 acoustic.lift --quiet --size $box --in prev=0.1 --in "cur=$pulse" --steps 9 --out prev=p2.npy --out next=n2.npy \
    --snapshot 9:s%d.npy --record next=r2.npy --checkpoint ck2 --checkpoint-every 4
same "two ranks" n1.npy n2.npy
same "both fields" p1.npy p2.npy
same "a snapshot" n1.npy s9.npy
same "and a record of all steps" r1.npy r2.npy
verdict "a checkpoint is the same whoever writes it" "$(for f in ck1 ck2; do
    grep -a -v '^kernel\|^hash ' $f >$f.state
done; cmp ck1.state ck2.state 2>&1)"
ranks 7 acoustic.lift --quiet --size $box --resume ck1 --steps 9 --exchange-every 2 --out next=n3.npy
same "resumed on seven ranks, with an exchange after every second step" n1.npy n3.npy
go acoustic.lift --size $box --resume ck2 --steps 9 --out next=n4.npy
same "resumed by one process" n1.npy n4.npy
go heat.lift --in grid=n1.npy --steps 5 --out out=h1.raw
ranks 7 heat.lift --quiet --in grid=n1.npy --steps 5 --out out=h2.raw --devices host=2,host
same "a border that is kept, read and written by parts" h1.raw h2.raw
ring() { # what to call, with its first arguments
    "$@" lbm_d2q9.lift --quiet --size nx=9,ny=29 --in 'f5=(y, x) => 0.1 + 0.01 * sin(0.7 * x + y)' --in f0=0.4 --in f1=0.1 \
        --in f2=0.1 --in f3=0.1 --in f4=0.1 --in f6=0.03 --in f7=0.03 --in f8=0.03 --steps 7 --out g5="$file"
}
file=l1.npy; ring go
file=l2.npy; ring ranks 2
same "a ring of two" l1.npy l2.npy
file=l7.npy; ring ranks 7
same "a ring of seven" l1.npy l7.npy
for border in clamp mirror; do
    set -- $border.lift --quiet --size nx=7,ny=31 --in 'u=(y, x) => sin(0.3 * y * x)' --steps 6
    go "$@" --out v=u1.npy
    ranks 7 "$@" --out v=u7.npy
    same "an uneven halo, $border" u1.npy u7.npy
done

# ---- planes, and rows of them
ranks 4 acoustic.lift --quiet --size $box --in prev=0.1 --in "cur=$pulse" --steps 9 --cut 2x2 --out prev=p4.npy --out next=n4.npy \
    --snapshot 9:t%d.npy --record next=r4.npy --checkpoint ck4 --checkpoint-every 4
same "two by two ranks" n1.npy n4.npy
same "both fields of them" p1.npy p4.npy
same "their snapshot" n1.npy t9.npy
same "their record of all steps" r1.npy r4.npy
verdict "their checkpoint is that of one process" "$(grep -a -v '^kernel\|^hash ' ck4 >ck4.state; cmp ck1.state ck4.state 2>&1)"
ranks 6 acoustic.lift --quiet --size $box --resume ck4 --steps 9 --exchange-every 2 --cut 2x3 --out next=n4.npy
same "resumed on two by three ranks, with an exchange after every second step" n1.npy n4.npy
ranks 6 heat.lift --quiet --in grid=n1.npy --steps 5 --out out=h4.raw --devices host=2,host --cut 3x2
same "a border that is kept, read and written by parts of rows" h1.raw h4.raw
file=l6.npy; ring ranks 6 --cut 2x3
same "a ring of both dimensions" l1.npy l6.npy

# ---- temporal blocking
if command -v sqlite3 >/dev/null 2>&1; then
    two_depths deep.db heat.lift "$box"
    go heat.lift --in grid=n1.npy --steps 11 --out out=d1.raw
    for cut in 3x1 3x2; do
        ranks $((3 * ${cut#*x})) heat.lift --in grid=n1.npy --steps 11 --db deep.db --cut $cut --out out=d3.raw
        said "$cut ranks, two time steps a launch" 0 "5 launches of 2 time steps, 1 single step"
        same "$cut ranks: the same bits" d1.raw d3.raw
    done
else
    skip "temporal blocking of ranks" "sqlite3 is not installed"
fi

# ---- and boundary first
for every in 1 2 4; do
    ranks 2 acoustic.lift --quiet --size $box --in prev=0.1 --in "cur=$pulse" --steps 9 --overlap yes --exchange-every $every \
        --out prev=p2.npy --out next=n2.npy
    same "two ranks, boundary first, exchanged after $every" n1.npy n2.npy
    same "both fields, exchanged after $every" p1.npy p2.npy
done
file=l5.npy; ring ranks 5 --overlap yes
same "a ring of five, boundary first" l1.npy l5.npy
ranks 3 heat.lift --in grid=n1.npy --steps 5 --out out=h3.raw --overlap yes
same "a border that is kept, boundary first" h1.raw h3.raw
said "that it is so" 0 "overlapped with the computation"

# ---- output
ranks 2 heat.lift --in grid=n1.npy
said "how planes are shared out" 0 "12 + 11 planes (nz), 1 and 1 ghost planes, exchanged after each launch, by "
ranks 2 heat.lift --in grid=n1.npy --overlap auto
said "that kernels wait" 0 "not overlapped with the computation: 'host' cannot copy while a kernel runs"
verdict "by one rank" "$([ "$(grep -c planes out)" -eq 1 ] || cat out)"
ranks 2 heat.lift --size $small --in 'grid=(z, y, x) => 1.0 / (z - 4.0)' --out out=x.npy
said "elements that are not finite, of all ranks" 1 "34 of 125 elements of 'grid' are not finite after step 1, the first is inf at [3][1][1]"

# ---- errors before any launch: one message
once() { # what, status, text
    said "$@"
    verdict "$1: said once" "$([ "$(grep -c '^lift: ' err)" -eq 1 ] || cat err)"
}
ranks 2 heat.lift --in grid=n1.npy --exchange-every 12
once "a halo wider than a part" 2 "part 2 of 2, on 'host', has 11 of 23 planes ('nz'), and 12 are exchanged"
ranks 4 heat.lift --in grid=n1.npy --cut 2x3
once "other numbers of ranks" 2 "--cut 2x3 is for 6 devices, or ranks, and there are 4"
ranks 4 heat.lift --size $small --in 'grid=(z, y, x) => 1.0 / (z - 4.0)' --cut 2x2
said "elements that are not finite, of rows of all ranks" 1 "34 of 125 elements of 'grid' are not finite after step 1, the first is inf at [3][1][1]"
ranks 7 heat.lift --size $small --in grid=1
once "more ranks than planes" 2 "has 0 of 5 planes"
ranks 2 heat.lift --in grid=n1.npy --overlap yes --devices host=22,host=1
once "a part with nothing between its ends" 2 "--overlap yes: part 2 has 1 planes"
ranks 2 heat.lift --in grid=n1.npy --devices host,nosuch
once "a missing device of one rank" 1 "rank 1: on 'nosuch': no device 'nosuch'"
ranks 2 heat.lift --in grid=n1.npy --explore-seconds 1
once "exploring" 2 "ranks of a job do not explore"
ranks 2 heat.lift --in grid=none.npy
once "no such file" 2 "cannot read 'none.npy'"
head -c 3000 ck1 >short
ranks 2 acoustic.lift --size $box --resume short --steps 9
once "half a checkpoint" 2 "checkpoint 'short' has 3000 bytes"
{ echo "lift checkpoint 2"; tail -n +2 ck1; } >old
ranks 2 acoustic.lift --size $box --resume old --steps 9
once "a checkpoint of before" 2 "a checkpoint of version '2', and this lift reads version 4"

# ---- ranks that die, hang, or are stopped
cat >told.sh <<'END'
echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
exec "$@"
END
endless() { # seconds, options
    rm -f ck pid.*
    # shellcheck disable=SC2086
    "mpirun.$kind" $more -n 2 sh told.sh "$lift" run --quiet acoustic.lift --size $box --in prev=0 --in cur=n1.npy \
        --steps 1000000000 --checkpoint ck --checkpoint-every 1000 --exchange-timeout "$@" >out 2>err &
    job=$!
    await test -s ck
}
ended() { # signal, for rank 1
    kill -"$1" "$(cat pid.1)"
    status=0
    wait $job || status=$?
}
goes_on() { # what
    step=$(grep -a '^step ' ck | cut -d' ' -f2)
    go acoustic.lift --size $box --resume ck --steps $((step + 3)) --out next=g1.npy
    ranks 2 acoustic.lift --quiet --size $box --resume ck --steps $((step + 3)) --out next=g2.npy
    same "$1" g1.npy g2.npy
}
limit=$(patient 3)
endless "$limit"
ended KILL
verdict "a rank is killed: the others end" "$([ "$status" -ne 0 ] || echo "status 0"; lingering ranks.sh)"
goes_on "and the run resumes from the last checkpoint"
endless "$limit"
ended STOP
said "a rank hangs: the others say so, and end" 1 "within $limit seconds: "
verdict "and nothing is left" "$(lingering ranks.sh)"
endless "$limit" --overlap yes
ended STOP
said "a rank hangs, boundary first: the others say so, and end" 1 "within $limit seconds: "
verdict "and nothing is left of them" "$(lingering ranks.sh)"
endless 100
ended TERM
said "one rank is asked to stop: all do" 143 "resume with --resume ck"
goes_on "from there"

# ---- the other binary interface
if [ -n "$other" ]; then
    kind=$other
    file=l3.npy; ring ranks 3
    same "a ring of three by $other" l1.npy l3.npy
    attempt env LIFT_MPI=libmpich.so.12 mpirun.openmpi --oversubscribe -n 2 "$lift" run heat.lift --in grid=n1.npy
    said "a library of another launcher" 1 "the two do not match"
else
    skip "the other binary interface" "there is one mpirun here"
fi
finish

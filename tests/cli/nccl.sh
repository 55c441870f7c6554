#!/bin/sh
# Grids with planes exchanged by NCCL: a stand-in in host memory. 'sh tests/cli/nccl.sh ROOT LIFT
# FAKE'.
. "$(dirname "$0")/cli.sh"

root=$1
fake=$3
cd "$work" || exit 99
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LIFT_NCCL="$fake"
box=nx=11,ny=9,nz=23

# Kernels of an exact program give the same bits at all sizes.
for name in acoustic heat lbm_d2q9; do
    { echo exact; cat "$root/programs/$name.lift"; } >$name.lift
done
cat >uneven.lift <<'END'
exact
size nx = 16, ny = 16
fun point(w) = 0.25 * w[0][1] + 0.125 * w[1][0] + 0.5 * w[1][1] - 0.25 * w[3][2]
stencil uneven(u: [[f32]nx]ny) -> v =
    map2(point, slide2((4, 3), 1, pad(1, 2, mirror, map(pad(1, 1, mirror), u))))
time (u) <- (v)
END
go() { # arguments of 'lift run', without what it prints
    run "$lift" run --quiet "$@"
}
same() { # what, file, file: the last command ended well, and the files are the same
    verdict "$1" "$([ "$status" -eq 0 ] || cat err; cmp "$2" "$3" 2>&1)"
}
pulse='(z, y, x) => exp(-0.2 * ((x - 4) * (x - 4) + (y - 5) * (y - 5) + (z - 3) * (z - 3)))'
acoustic() { # command and its arguments
    "$@" acoustic.lift --quiet --size $box --in prev=0.1 --in "cur=$pulse" --steps 9 --out prev=p.npy --out next=n.npy
}
ring() {
    "$@" lbm_d2q9.lift --quiet --size nx=9,ny=29 --in 'f5=(y, x) => 0.1 + 0.01 * sin(0.7 * x + y)' --in f0=0.4 --in f1=0.1 \
        --in f2=0.1 --in f3=0.1 --in f4=0.1 --in f6=0.03 --in f7=0.03 --in f8=0.03 --steps 7 --out g5=l.npy
}
uneven() {
    "$@" uneven.lift --quiet --size nx=7,ny=47 --in 'u=(y, x) => sin(0.3 * y * x)' --steps 6 --out v=u.npy
}
for program in acoustic ring uneven; do
    $program go
done
for name in p n l u; do
    mv $name.npy ${name}1.npy
done

# ---- one process
for overlap in no yes; do
    nccl() { # devices, program
        devices=$1
        $2 by
    }
    by() {
        run "$lift" run "$@" --devices "$devices" --exchange nccl --overlap $overlap
    }
    nccl host,host=2.5,host acoustic
    same "three unequal parts, --overlap $overlap" n1.npy n.npy
    same "both fields, --overlap $overlap" p1.npy p.npy
    nccl host,host ring
    same "a ring of two, --overlap $overlap" l1.npy l.npy
    nccl host,host,host uneven
    same "an uneven halo, --overlap $overlap" u1.npy u.npy
    for every in 2 4; do
        by() {
            run "$lift" run "$@" --devices "$devices" --exchange nccl --overlap $overlap --exchange-every $every
        }
        nccl host,host,host ring
        same "a ring of three that exchanges after $every steps, --overlap $overlap" l1.npy l.npy
    done
done
verdict "no message is left" "$(ls -d fake_nccl.* 2>/dev/null)"
for way in peer host; do
    by() {
        run "$lift" run "$@" --devices host,host --exchange $way
    }
    acoustic by
    same "--exchange $way" n1.npy n.npy
done
expect "kernels are explored before the library has threads" 0 "exact: explored at these sizes" \
    "$lift" run heat.lift --size $box --in grid=1 --devices host,host --exchange nccl --explore-seconds 1 --db new.db

# ---- output
expect "how planes go" 0 "exchanged after each launch, by NCCL 2.19.3, overlapped with the computation" \
    "$lift" run acoustic.lift --size $box --in prev=0 --in cur=1 --devices host,host --exchange nccl --overlap yes
expect "no library" 2 "--exchange nccl: LIFT_NCCL: nosuch.so: cannot open" \
    env LIFT_NCCL=nosuch.so "$lift" run heat.lift --size $box --in grid=1 --devices host,host --exchange nccl
expect "a different library" 2 "the NCCL library has no 'ncclGetVersion'" \
    env LIFT_NCCL=libm.so.6 "$lift" run heat.lift --size $box --in grid=1 --devices host,host --exchange nccl
expect "devices that cannot join" 1 "NCCL 2.19.3" \
    env FAKE_NCCL=join "$lift" run heat.lift --size $box --in grid=1 --devices host,host --exchange nccl
expect "no way" 2 "--exchange 'way': expected auto, peer, host, mpi or nccl" "$lift" run heat.lift --exchange way
expect "MPI in one process" 2 "--exchange mpi needs several ranks" "$lift" run heat.lift --size $box --in grid=1 \
    --devices host,host --exchange mpi
expect "nothing to exchange" 2 "--exchange needs --devices, or several ranks" "$lift" run heat.lift --exchange nccl
expect "the host overlapped with the computation" 2 "--overlap yes: planes go through the host" "$lift" run heat.lift --size $box \
    --in grid=1 --devices host,host --exchange host --overlap yes

limit=$(patient 3)
# A launcher may crash when its ranks end, which is not lift's: but no rank may.
ends_well() { # the first word of the command
    case $1 in
    *mpirun*) [ "$status" -ne 0 ] && ! grep -qE 'on signal 11|signal: Segmentation|BAD TERMINATION.*139|Sanitizer' hung ;;
    *) [ "$status" -eq 1 ] ;;
    esac && grep -qF "no answer for $limit s, in the launch after step" hung
}
hangs() { # what, command
    what=$1
    shift
    rm -f ck
    attempt env FAKE_NCCL=lose "$@" acoustic.lift --quiet --size $box --in prev=0 --in cur=1 --steps 100 --exchange nccl \
        --exchange-timeout "$limit" --checkpoint ck --checkpoint-every 5
    cp err hung
    verdict "$what" "$(ends_well "$1" || { echo "status $status"; cat hung; }; lingering nccl.sh)"
    step=$(grep -a '^step ' ck | cut -d' ' -f2)
    go acoustic.lift --size $box --resume ck --steps $((step + 3)) --out next=g1.npy
    go acoustic.lift --size $box --in prev=0 --in cur=1 --steps $((step + 3)) --out next=g2.npy
    same "$what: a run resumed from the last checkpoint" g1.npy g2.npy
}
hangs "a message is lost" "$lift" run --devices host,host

# ---- ranks; leaks of MPI are ignored
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
kind=
for try in openmpi mpich; do
    [ -n "$kind" ] || ! command -v mpirun.$try >/dev/null || ! mpirun.$try -n 2 true >/dev/null 2>&1 || kind=$try
done
if [ -z "$kind" ]; then
    skip "several ranks" "no mpirun.openmpi and no mpirun.mpich, or it starts nothing"
    finish
    exit
fi
more=$([ "$kind" != openmpi ] || echo --oversubscribe)
by() { # arguments of 'lift run'
    # shellcheck disable=SC2086
    attempt "mpirun.$kind" $more -n "$number" "$lift" run "$@" --exchange nccl --overlap $overlap
}
overlap=no
number=5
acoustic by
same "five ranks, --overlap $overlap" n1.npy n.npy
overlap=yes
acoustic by
same "five ranks, --overlap $overlap" n1.npy n.npy
number=2
ring by
same "a ring of two ranks, --overlap $overlap" l1.npy l.npy
number=3
uneven by
same "an uneven halo, --overlap $overlap" u1.npy u.npy
by heat.lift --size $box --in grid=1
verdict "one rank reports the path of planes" "$([ "$(grep -c 'by NCCL 2.19.3, overlapped with the computation' out)" -eq 1 ] || cat out err)"
by heat.lift --size $box --in grid=1 --devices host=21,host=1,host=1
verdict "one rank that is too thin says so" "$([ "$status" -eq 2 ] && [ "$(grep -c '^lift: --overlap yes: part 2 has' err)" -eq 1 ] ||
    cat out err)"
# shellcheck disable=SC2086
ends_with 2 "mpirun.$kind" $more -n 2 "$lift" run heat.lift --size $box --in grid=1 --exchange peer
verdict "no copies between ranks" "$([ "$status" -eq 2 ] && grep -qF 'devices of different ranks cannot copy directly' err || cat err)"
# shellcheck disable=SC2086
hangs "a message between ranks is lost" "mpirun.$kind" $more -n 2 "$lift" run
finish

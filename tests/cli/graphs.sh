#!/bin/sh
# Launches that come again are graphs of CUDA's driver: a stand-in of it, whose kernels are
# checksums of what they read. 'sh tests/cli/graphs.sh ROOT LIFT FAKE FAKE-THAT-IS-OLD'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
export LC_ALL=C
for kind in new old; do
    mkdir $kind
    for name in libcuda.so.1 libnvrtc.so.13 libnvrtc.so.12; do
        ln -s "$([ $kind = new ] && echo "$3" || echo "$4")" $kind/$name
    done
done
LD_LIBRARY_PATH="$work/new${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH

cp "$root"/programs/acoustic.lift "$root"/programs/heat.lift "$root"/programs/acoustic_pml.lift "$root"/programs/lbm_d2q9.lift .
mv acoustic_pml.lift pml.lift
cat >plan <<'END'
25 launch acoustic_1
1 begin graph
24 record acoustic_1
1 end graph
3 graph 24
3 launch acoustic_1
1 drop graph
END
cat >staged.lift <<'END'
size nx = 61, ny = 47
stencil staged(a: [[f32]nx]ny) -> b = {
    val root = map2(w => sqrt(w[0][1] * w[0][1] + w[2][1] * w[2][1] + 1.0), slide2(3, 1, pad2(1, 1, clamp, a)))
    return map2(fun((w, x) => w[0][1] + w[2][1] + w[1][0] - 3.0 * w[1][2] + x),
        zip2(slide2(3, 1, pad2(1, 1, mirror, root)), a))
}
time (a) <- (b)
END
{ cat staged.lift; echo 'steps 2'; } | sed 's/stencil staged/stencil fused/' >fused.lift
cat >twice.lift <<'END'
size nx = 16, ny = 16
stencil twice(a: [[f32]nx]ny, b: [[f32]nx]ny) -> c =
    map2(fun((u, v) => 0.5 * u + 0.25 * v), zip2(a, b))
time (a, b) <- (c, c)
END
go() { # the rest of a command of 'lift run': once with graphs, once without
    rm -f ./*.npy log
    run "$lift" run "$@" --graphs no
    [ "$status" -eq 0 ] || return
    mkdir -p plain
    mv ./*.npy plain
    LIFT_FAKE_CUDA_LOG="$work/log" run "$lift" run "$@"
}
same() { # what, words of the summary: the last command ended well, and made the files that it makes without graphs
    verdict "$1" "$([ "$status" -eq 0 ] || cat err; grep -q "$2" out || cat out
        for file in plain/*.npy; do cmp "$file" "${file#plain/}" 2>&1; done)"
    rm -rf plain
}
box='--size nx=16,ny=16,nz=28'
acoustic() {
    go acoustic.lift $box --in prev=0 --in 'cur=(z, y, x) => sin(0.3 * z * y + x)' --out next=n.npy --out prev=p.npy "$@"
}

# ---- one device
acoustic --device cuda --steps 100
same "three buffers in turn" "steps  *100, as graphs of 24 launches"
verdict "launches are made, recorded, and repeated" "$(uniq -c log | sed 's/^ *//' | diff - plan 2>&1)"
acoustic --device cuda --steps 20
same "too few launches" "steps  *20, launched one by one (no launches came twice)"
acoustic --device cuda --steps 100 --snapshot 10:s%03d.npy --snapshot 7:t%03d.npy,prev --record next=r.npy --checkpoint ck \
    --checkpoint-every 25
same "files in between" "steps  *100, "
acoustic --device cuda --steps 100 --snapshot 10:s%03d.npy
same "launches between files" "steps  *100, as graphs of 10 launches"
acoustic --device cuda --steps 160 --checkpoint ck --checkpoint-every 5
same "launches between checkpoints" "steps  *160, as graphs of 5 launches"
acoustic --device cuda --steps 300 --continue ck
same "a run that goes on" "steps  *140, from step 160 on, as graphs of 24 launches"
go heat.lift $box --in 'grid=(z, y, x) => sin(z * y + x)' --steps 81 --device cuda --out out=h.npy
same "two buffers in turn" "as graphs of 24 launches"
go pml.lift --size nx=14,ny=13,nz=12,w=2 --in 'u=(z, y, x) => sin(z * y + x)' --in v=0 --in vp=3 --in eta=0.1 --in phi=0 --steps 90 \
    --device cuda --out next=h.npy --out psi=q.npy
same "two results" "as graphs of 24 launches"
go lbm_d2q9.lift --size nx=9,ny=8 $(for i in 0 1 2 3 4 5 6 7 8; do echo "--in f$i=0.1$i"; done) --steps 90 --device cuda \
    --out g5=g.npy
same "nine results" "as graphs of 24 launches"
go staged.lift --size nx=20,ny=17 --in 'a=(y, x) => sin(y + x)' --steps 60 --device cuda --out b=b.npy
same "two kernels and memory between them" "as graphs of 24 launches"
go fused.lift --size nx=20,ny=17 --in 'a=(y, x) => sin(y + x)' --steps 160 --device cuda --out b=b.npy
same "two steps of a launch" "as graphs of 24 launches"
go twice.lift --size nx=9,ny=8 --in a=1 --in 'b=(y, x) => sin(y + x)' --steps 80 --device cuda --out c=c.npy
same "inputs of one value" "launched one by one (inputs of one value are copied between launches)"

# ---- what the driver refuses
for call in cuStreamBeginCapture cuStreamEndCapture cuGraphInstantiateWithFlags; do
    export LIFT_FAKE_CUDA=$call
    acoustic --device cuda --steps 100
    same "no graphs without $call" "launched one by one (cu.*: CUDA_ERROR_.*: of the stand-in)"
done
expect "a graph that is not launched ends the run" 1 "cuGraphLaunch: CUDA_ERROR_NOT_SUPPORTED (801): of the stand-in" \
    env LIFT_FAKE_CUDA=cuGraphLaunch "$lift" run heat.lift $box --in grid=1 --steps 81 --device cuda
unset LIFT_FAKE_CUDA
kept=$LD_LIBRARY_PATH
LD_LIBRARY_PATH="$work/old:$LD_LIBRARY_PATH"
acoustic --device cuda --steps 100
same "a driver without graphs" "launched one by one (NVIDIA's driver has no graphs: a newer one is needed)"
LD_LIBRARY_PATH=$kept

# ---- two devices
for exchange in peer host; do
    for every in 1 3; do
        acoustic --devices cuda:0,cuda:1 --exchange $exchange --exchange-every $every --steps 45
        same "two devices, --exchange $exchange --exchange-every $every" "$([ $every -eq 1 ] && echo 'launched one by one (one kernel at a time)' ||
            echo 'as graphs of 3 launches')"
    done
done
for every in 1 2 4; do
    acoustic --devices cuda:0,cuda:1 --overlap yes --exchange-every $every --steps 45
    same "two devices, --overlap yes --exchange-every $every" "$([ $every -le 2 ] && echo 'launched one by one' ||
        echo 'as graphs of 3 launches')"
done

# ---- words
run "$lift" run heat.lift $box --in grid=1 --steps 81
verdict "other devices say nothing" "$([ "$status" -eq 0 ] || cat err; grep -E 'graph|one by one' out)"
expect "no such word" 2 "--graphs 'maybe': expected auto or no" "$lift" run heat.lift --graphs maybe
finish

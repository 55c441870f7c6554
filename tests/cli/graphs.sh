#!/bin/sh
# Repeated launches are graphs of CUDA's driver: a stand-in, whose kernels are checksums of their
# inputs. 'sh tests/cli/graphs.sh ROOT LIFT FAKE FAKE-THAT-IS-OLD'.
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

# ---- one device; the number of launches between two reads of the clock depends on the machine
acoustic --device cuda --steps 300
same "three buffers in turn" "steps  *300, as graphs of [0-9]* launches"
verdict "launches are made, or recorded and then repeated" "$(awk '
    $1 == "launch" { made++ }
    $1 == "begin" { open = 1; size = 0 }
    $1 == "record" { size++ }
    $1 == "end" { open = 0; fresh = 1 }
    $1 == "graph" { made += $2; graphs++ }
    $1 == "graph" && fresh { if ($2 != size) print $2 " of " size " launches"; fresh = 0 }
    open == ($1 == "launch" || $1 == "graph") && $1 != "end" && $1 != "drop" { print $0 " while recording: " open + 0 }
    END { if (made != 300 || !graphs) print made " launches, graphs: " graphs }' log)"
acoustic --device cuda --steps 3
same "too few launches" "steps  *3, launched one by one ("
acoustic --device cuda --steps 300 --snapshot 10:s%03d.npy --snapshot 7:t%03d.npy,prev --record next=r.npy --checkpoint ck \
    --checkpoint-every 25
same "files in between" "steps  *300, "
acoustic --device cuda --steps 300 --snapshot 10:s%03d.npy
same "launches between files" "steps  *300, as graphs of [0-9]* launches"
acoustic --device cuda --steps 160 --checkpoint ck --checkpoint-every 5
same "launches between checkpoints" "steps  *160, as graphs of [0-9]* launches"
acoustic --device cuda --steps 500 --resume ck
same "a resumed run" "steps  *340, from step 160 on, as graphs of [0-9]* launches"
go heat.lift $box --in 'grid=(z, y, x) => sin(z * y + x)' --steps 301 --device cuda --out out=h.npy
same "two buffers in turn" "as graphs of [0-9]* launches"
go pml.lift --size nx=14,ny=13,nz=12,w=2 --in 'u=(z, y, x) => sin(z * y + x)' --in v=0 --in vp=3 --in eta=0.1 --in phi=0 --steps 300 \
    --device cuda --out next=h.npy --out psi=q.npy
same "two results" "as graphs of [0-9]* launches"
go lbm_d2q9.lift --size nx=9,ny=8 $(for i in 0 1 2 3 4 5 6 7 8; do echo "--in f$i=0.1$i"; done) --steps 300 --device cuda \
    --out g5=g.npy
same "nine results" "as graphs of [0-9]* launches"
go staged.lift --size nx=20,ny=17 --in 'a=(y, x) => sin(y + x)' --steps 300 --device cuda --out b=b.npy
same "two kernels and memory between them" "as graphs of [0-9]* launches"
go fused.lift --size nx=20,ny=17 --in 'a=(y, x) => sin(y + x)' --steps 600 --device cuda --out b=b.npy
same "two steps of a launch" "as graphs of [0-9]* launches"
go twice.lift --size nx=9,ny=8 --in a=1 --in 'b=(y, x) => sin(y + x)' --steps 80 --device cuda --out c=c.npy
same "inputs of one value" "launched one by one (inputs of one value are copied between launches)"

# ---- calls that the driver rejects
for call in cuStreamBeginCapture cuStreamEndCapture cuGraphInstantiateWithFlags; do
    export LIFT_FAKE_CUDA=$call
    acoustic --device cuda --steps 300
    same "no graphs without $call" "launched one by one (cu.*: CUDA_ERROR_.*: of the stand-in)"
done
expect "a failed launch of a graph ends the run" 1 "cuGraphLaunch: CUDA_ERROR_NOT_SUPPORTED (801): of the stand-in" \
    env LIFT_FAKE_CUDA=cuGraphLaunch "$lift" run heat.lift $box --in grid=1 --steps 301 --device cuda
unset LIFT_FAKE_CUDA
kept=$LD_LIBRARY_PATH
LD_LIBRARY_PATH="$work/old:$LD_LIBRARY_PATH"
acoustic --device cuda --steps 300
same "a driver without graphs" "launched one by one (NVIDIA's driver has no graphs: a newer one is needed)"
LD_LIBRARY_PATH=$kept

# ---- two devices
for exchange in peer host; do
    for every in 1 3; do
        acoustic --devices cuda:0,cuda:1 --exchange $exchange --exchange-every $every --steps 45
        same "two devices, --exchange $exchange --exchange-every $every" "$([ $every -eq 1 ] && echo 'launched one by one (one kernel at a time)' ||
            echo 'as graphs of [23] launches')"
    done
done
for every in 1 2 4; do
    acoustic --devices cuda:0,cuda:1 --overlap yes --exchange-every $every --steps 45
    same "two devices, --overlap yes --exchange-every $every" "$([ $every -le 2 ] && echo 'launched one by one' ||
        echo 'as graphs of [23] launches')"
done

# ---- words
run "$lift" run heat.lift $box --in grid=1 --steps 301
verdict "other devices say nothing" "$([ "$status" -eq 0 ] || cat err; grep -E 'graph|one by one' out)"
expect "an unknown word" 2 "--graphs 'maybe': expected auto or no" "$lift" run heat.lift --graphs maybe
finish

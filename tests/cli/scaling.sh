#!/bin/sh
# The model of scaling. 'sh tests/cli/scaling.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

if ! command -v python3 >/dev/null 2>&1; then
    skip "the model of scaling" "python3 is not installed"
    finish
    exit
fi
scaling() { # arguments
    python3 "$root/tools/scaling.py" --lift "$lift" "$@"
}
root=$1
verdict "equations and fits give the numbers computed by hand" "$(python3 "$(dirname "$0")/scaling_model.py" "$1/tools" 2>&1)"
cd "$work" || exit 99
iso=$root/programs/acoustic_iso.lift
size="--size nx=1000,ny=1000,nz=1000"
cat >scaling.txt <<'END'
acoustic_iso, 1000x1000 points a plane, 1000 planes a device (weak) or in all (strong), 200 steps
scaling devices  m by        overlap     GPts/s  efficiency  exchanges  said
one           1  - -         -             69.7     100.0 %  -          -
weak          2  1 peer      no             119      85.4 %  45.8 ms    from device to device
strong        2  1 peer      no             119      85.4 %  36.5 ms    from device to device
END

# 4 planes of 10^6 points of 4 bytes; 16 MB at 300 GB/s and 10 us are 63.3 us.
has() { # what, pattern: of the last output
    verdict "$1" "$(grep -qE -- "$2" out || cat out err)"
}
# sizes are words
# shellcheck disable=SC2086
expect "a prediction" 0 "hidden" scaling "$iso" $size --rate 69.7
has "has weak scaling" '^ +2 +2x1 +1000 +1000 +16.0 MB +14.4 ms +63.3 us +138.2 +99.2 %'
has "and strong" '^ +8 +8x1 +125 +1000 +32.0 MB +1.91 ms +117 us'
has "says that figures are assumed" '^link +300 GB/s, 10 us \(assumed\)'
# shellcheck disable=SC2086
expect "other links, more devices" 0 "" scaling "$iso" $size --rate 69.7 --link 100,0 --network 50,1 \
    --node 2 --launch 1 --devices 2,3,64,1000 --exchange-every 2
has "a part of few planes" '^ +1000 +1000x1  a part has 1 planes of 1000 rows, fewer than are exchanged: --cut 2'
# shellcheck disable=SC2086
expect "rows" 0 "" scaling "$iso" $size --rate 69.7 --devices 1000 --cut 2
has "are cut where planes are too few" '^ +1000 +40x25 +25 +40 '
# shellcheck disable=SC2086
expect "measured runs" 0 "" scaling "$iso" $size --measured scaling.txt
has "set the link" '^link +81.74 GB/s, 10 us \(of the measured exchanges\)'
has "and are compared" '^strong +2 +1 +peer +no +119 +134.4 +\+13.0 % +60.82 +182 us +206 us'
# shellcheck disable=SC2086
run scaling "$iso" $size --measured scaling.txt --json
verdict "JSON has the same" "$(python3 -c "
import json
j = json.load(open('out'))
assert round(j['link']['bandwidth'] * 1e-9, 2) == 81.74
p = [p for p in j['points'] if p['devices'] == 8 and p['scaling'] == 'strong' and not p['overlap']][0]
assert p['parts'] == [8, 1] and p['planes'] == 125 and 0.77 < p['efficiency'] < 0.78
assert [m['devices'] for m in j['measured']] == [1, 2, 2]" 2>&1)"

# ---- output of the benchmark
expect "the benchmark" 0 "strong" sh "$root/bench/scaling.sh" --program star3d1r --points 24 --steps 4 \
    --seconds 0.2 --scaling strong --every 1 --by peer --overlap no,yes --db bench.db "$lift" host,host
cp out bench.txt
expect "is read with all its rows" 0 "measured at 24 planes" scaling "$root/programs/star3d1r.lift" \
    --size nx=24,ny=24,nz=24 --measured bench.txt
verdict "each with figures, and no other" "$(
    [ "$(grep -cE '^(one|strong) .*%' bench.txt)" -eq 3 ] && [ "$(grep -cE '^(one|strong) .*%' out)" -eq 3 ] ||
        cat bench.txt out)"

# ---- from a database
cat >wave.lift <<'END'
size nx = 40, ny = 24
stencil wave(u: [[f32]nx]ny, v: [[f32]nx]ny) -> next =
    map2((w, x) => 0.5f * (w[0][1] + w[2][1]) - x, zip2(slide2(3, 1, pad2(1, 1, clamp, u)), v))
time (u, v) <- (next, u)
END
expect "no database" 1 "none.db" scaling wave.lift --db none.db
expect "an exploration" 0 "" "$lift_explore" wave.lift --trials 2 --max-exprs 4 --no-final-benchmark --quiet --jobs 1 --db w.db
expect "the rate of its best kernel" 0 '{"nx":40,"ny":24} on ' scaling wave.lift --db w.db
expect "of an unknown device" 1 "no verified kernel of 'wave.lift' for --device 'nosuch'" \
    scaling wave.lift --db w.db --device nosuch

# ---- mistakes
head -n 2 scaling.txt >short.txt
echo "weak 2 1 peer no fast" >>short.txt
expect "a malformed file" 2 "cannot read 'short.txt': line 3: expected a row of" \
    scaling "$iso" --measured short.txt
rejected "a missing file" 1 "'none.txt'" scaling "$iso" --measured none.txt
sed 's/^acoustic_iso/wave/' scaling.txt >wave.txt
rejected "one of another program" 2 "'wave.txt' 'wave' 'acoustic_iso'" \
    scaling "$iso" --measured wave.txt
rejected "an invalid link" 2 "--link '300'" scaling "$iso" --rate 1 --link 300
expect "devices that are none" 2 "--devices" scaling "$iso" --rate 1 --devices 2,x
expect "an invalid cut" 2 "--cut" scaling "$iso" --rate 1 --cut 3
expect "no time loop" 1 "has no time loop" scaling small.lift --rate 1
echo 'size' >wrong.lift
expect "a malformed program" 2 "wrong.lift:1:" scaling wrong.lift --rate 1
expect "no program" 2 "required: FILE" scaling
expect "no lift" 1 "cannot run './nolift'" scaling --lift ./nolift "$iso" --rate 1
finish

#!/bin/sh
# Values that no step of a time loop changes, as a separate program. 'sh tests/cli/split.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

root=$1
cd "$work" || exit 99
cat >mix.lift <<'END'
// a and b do not change; c does.
size nx = 23, ny = 11
param s: f32 = 0.5
type grid = [[f32]nx]ny
fun point((w, c, a, b)) {
    val k = sin(a * s)
    val e = exp(-(a * b)) + cos(c)
    return (w[1][1] + 0.1 * k * (w[0][1] + w[2][1] - 2.0 * w[1][1]) + 0.01 * e * b,
        0.5 * c + 0.1 * sin(a * s) + log(2.0))
}
stencil mix(u, c, a, b: grid) -> (v, d) =
    map2(point, zip2(slide2(3, 1, pad2(1, 1, clamp, u)), c, a, b))
time (u, c) <- (v, d)
END

# The largest difference of two files of f32, as a part of the largest value.
apart() { # file, file
    python3 - "$1" "$2" <<'END'
import array, sys
a, b = (array.array("f", open(f, "rb").read()) for f in sys.argv[1:])
far = max(abs(x - y) for x, y in zip(a, b)) / max(abs(x) for x in a)
if len(a) != len(b) or not far < 1e-5:
    print(f"{far} apart, lengths {len(a)} and {len(b)}")
END
}

given="--in u=(y,x)=>0.1*y+0.01*x --in c=0.3 --in s=0.7"
media="--in a=(y,x)=>0.2*x --in b=(y,x)=>1.0+0.05*y"
expect "sines and exponentials of constant inputs" 0 "once: sin_a, exp_a_b" "$lift" split mix.lift
verdict "are outputs of a program" "$(grep -q 'mix_once(a: .*, b: .*) -> (sin_a, exp_a_b)' mix_once.lift || cat mix_once.lift)"
verdict "and inputs of the steps, which need 'a' no more" \
    "$(grep -q 'mix_step(u: [^:]*, c: [^:]*, b: [^:]*, sin_a: [^:]*, exp_a_b: [^:]*) -> (v, d)' mix_step.lift || cat mix_step.lift)"
# words
# shellcheck disable=SC2086
expect "the program" 0 "" "$lift" run mix.lift --steps 5 $given $media --out v=v.raw --out d=d.raw
# shellcheck disable=SC2086
expect "values that are computed once" 0 "" "$lift" run mix_once.lift --in s=0.7 $media --out sin_a=sin.raw --out exp_a_b=exp.raw
# shellcheck disable=SC2086
expect "the steps" 0 "" "$lift" run mix_step.lift --steps 5 $given --in 'b=(y,x)=>1.0+0.05*y' --in sin_a=sin.raw \
    --in exp_a_b=exp.raw --out v=v2.raw --out d=d2.raw
verdict "compute the same" "$(apart v.raw v2.raw; apart d.raw d2.raw)"
mkdir sub
expect "three dimensions, to a folder" 0 "once: sin_tilt, cos_tilt" "$lift" split "$root/programs/acoustic_tti.lift" -o sub
expect "which are a program" 0 "acoustic_tti_step.lift: acoustic_tti_step, " "$lift" check sub/acoustic_tti_step.lift
expect "an unknown values" 2 "computes nothing by functions of inputs that no step changes" \
    "$lift" split "$root/programs/heat.lift"
expect "no time loop" 2 "has no time loop" "$lift" split "$root/programs/srad1.lift"
expect "no folder" 1 "cannot write" "$lift" split mix.lift -o nowhere
finish

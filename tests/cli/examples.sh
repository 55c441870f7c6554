#!/bin/sh
# The examples that users start from, at small sizes: 'sh tests/cli/examples.sh ROOT LIFT'.
# tests/cli/documents.sh runs the commands of the documents on them.
. "$(dirname "$0")/cli.sh"
examples=$1/examples
command -v python3 >/dev/null 2>&1 || {
    skip "the examples" "python3 is not installed"
    finish
}
cd "$work" || exit 99
cat >arrays.py <<'END'
import array, ast, re, struct, zlib, base64

def read(path):
    """Shape and values of a NumPy file of f4."""
    with open(path, "rb") as file:
        size = struct.unpack("<H", file.read(10)[8:])[0]
        head = ast.literal_eval(file.read(size).decode())
        values = array.array("f")
        values.frombytes(file.read())
    return head["shape"], values

def picture(path):
    """Width and height of the picture within an SVG file, all of whose data is there."""
    text = open(path).read()
    data = base64.b64decode(re.search(r'base64,([^"]*)"', text).group(1))
    at = data.index(b"IDAT")
    pixels = zlib.decompress(data[at + 4 : at + 4 + struct.unpack(">I", data[at - 4 : at])[0]])
    width, height = struct.unpack(">II", data[16:24])
    assert len(pixels) == height * (width + 1) and text.rstrip().endswith("</svg>")
    return width, height
END

# ---- examples/seismic: the direct wave arrives when it must

expect "a shot is prepared" 0 "time step  0.0013 s; stable up to 0.00151 s" \
    python3 "$examples/seismic/prepare.py" --size 76,44,46 --steps 300 --frequency 20
shot() { # model, more arguments
    model=$1
    shift
    run "$lift" run "$examples/seismic/shot.lift" --steps 300 --in h=10 --in dt=0.0013 --in u=0 --in before=0 \
        --in now=0 --in "velocity=$model" --in sponge=sponge.npy --in series=wavelet.npy --points sat,sw=source.csv \
        --points rat,rw=receivers.csv --record trace=gather.npy "$@"
}
# A model of one velocity: no reflections, and the sponge absorbs the arriving wave.
shot 1500 --out next=end.npy
verdict "the direct wave has the speed of the model" "$(python3 -c "
from arrays import read
(steps, receivers), trace = read('gather.npy')
assert (steps, receivers) == (300, 38), (steps, receivers)
at = [max(range(steps), key=lambda t: abs(trace[t * receivers + r])) * 0.0013 for r in (10, 0)]
speed = 100 / (at[1] - at[0])
assert 1400 < speed < 1600, speed" 2>&1)"
verdict "the sponge absorbs the wave" "$(python3 -c "
from arrays import read
most = max(map(abs, read('gather.npy')[1]))
rest = max(map(abs, read('end.npy')[1]))
assert rest < 0.01 * most, (rest, most)" 2>&1)"
shot velocity.npy --snapshot 100:snap_%d.npy
expect "a model of the user" 0 "velocity.npy: 76 x 44 x 46 points, 1500 to 3000 m/s" \
    python3 "$examples/seismic/prepare.py" --model velocity.npy
expect "a model without three dimensions" 1 "must be float32" \
    python3 "$examples/seismic/prepare.py" --model wavelet.npy

# ---- pictures

draw() { # array, picture, width and height, more arguments
    of=$1 to=$2 lengths=$3
    shift 3
    expect "a picture of $of" 0 "" python3 "$examples/plot.py" "$of" "$to" "$@"
    verdict "has all of it" "$(python3 -c "
from arrays import picture
assert picture('$to') == $lengths, picture('$to')" 2>&1)"
}
draw gather.npy gather.svg "(38, 300)" --signed --clip 0.01 --axes "time (s),receiver" --steps 0.0013,1
draw snap_100.npy snap.svg "(76, 46)" --signed
expect "no array" 1 "not a NumPy file" python3 "$examples/plot.py" source.csv no.svg

# ---- examples/heat: a cosine decays as the difference equation says

run "$lift" run "$examples/heat/diffuse.lift" --steps 200 --size nx=40,ny=8 --in k=0.2 \
    --in 'u=(y, x) => cos(3.14159265 * (x + 0.5) / nx)' --out u=heat.npy
verdict "heat spreads" "$(python3 -c "
from math import cos, pi
from arrays import read
decay = (1 - 2 * 0.2 * (1 - cos(pi / 40))) ** 200
shape, values = read('heat.npy')
apart = max(abs(values[i] - decay * cos(pi * (i % 40 + 0.5) / 40)) for i in range(len(values)))
assert shape == (8, 40) and apart < 1e-4, (shape, apart)" 2>&1)"
draw heat.npy heat.svg "(40, 8)"

# ---- examples/rules: half of the logarithms

rules=$examples/rules/one_logarithm.rules
radar=$examples/rules/log_ratio.lift
expect "the rule is checked" 0 "2 rules passed, 0 failed" "$lift" rules check "$rules"
sed 's/log(max(\([ab]\), 0.001))/log(\1)/g; s/log(max(a, 0.001) \/ max(b, 0.001))/log(a \/ b)/' "$rules" >wrong.rules
expect "without max the rule is refuted" 1 "refuted" "$lift" rules check wrong.rules
logarithms() { # options: how often the kernel calls log
    # options are words
    # shellcheck disable=SC2086
    run "$lift" derive "$radar" --rules "$rules" $1 --device host --emit source
    grep -o '\<log[f]*(' out | wc -l
}
without=$(logarithms "--family omp_blocked")
with=$(logarithms "--family omp_blocked --decide logarithms=quotient")
verdict "a kernel with the option has half of the logarithms" \
    "$([ "$with" -gt 0 ] && [ "$without" -eq $((2 * with)) ] || echo "$without without, $with with")"
expect "and is right" 0 "ok {" "$lift" derive "$radar" --rules "$rules" --family omp_blocked \
    --decide logarithms=quotient --verify --size nx=40,ny=24
finish

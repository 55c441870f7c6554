#!/bin/sh
# The installed Python module: 'sh tests/cli/python.sh ROOT LIFT BUILD SANITIZERS COMPILER...'.
. "$(dirname "$0")/cli.sh"
build=$3
sanitizers=$4
shift 4
cases="execute options looped arrays remote measured"

for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null && break
done
if [ -z "$python" ]; then
    skip "the Python module" "no Python with NumPy is installed"
    finish
fi
# The interpreter knows nothing of sanitizers: their library comes first. Its own leaks, and those of
# processes that are ended at once, are no concern here.
if [ "$sanitizers" != none ]; then
    runtime=$("$@" -print-file-name=libasan.so)
    case $runtime:$sanitizers in
        /*:*address*) export LD_PRELOAD_OF_PYTHON="$runtime" ASAN_OPTIONS=detect_leaks=0 ;;
        *)
            skip "the Python module" "Python does not start with the sanitizers of '$*'"
            finish
            ;;
    esac
fi

run meson install -C "$build" --no-rebuild --quiet --destdir "$work/there"
module=$(find "$work/there" -path '*/lift/__init__.py')
if [ "$status" -ne 0 ] || [ -z "$module" ]; then
    not_ok "it installs" "$(cat "$work/err")"
    finish
fi
ok "it installs"
python() {
    env PYTHONPATH="${module%/lift/__init__.py}" PYTHONDONTWRITEBYTECODE=1 \
        LD_PRELOAD="${LD_PRELOAD_OF_PYTHON:-}" "$python" "$@"
}

# The first Python of the page, beside a program of that name.
sed -n '/^```python$/,/^```$/{/^```/{/^```$/q
d
}
p
}' docs/python.md >"$work/quick.py"
verdict "the quick start has five lines" \
    "$([ "$(wc -l <"$work/quick.py")" -eq 5 ] || cat "$work/quick.py")"
cp programs/heat.lift "$work/heat.lift"
quick() {
    cd "$work" && python quick.py
}
expect "the quick start of docs/python.md runs" 0 "the program lowered plainly" quick
sed -n '/^    import lift/,/^$/s/^    //p' "$module" >"$work/quick.py"
expect "and that of the module's own text" 0 "the program lowered plainly" quick

! "$lift" devices 2>/dev/null | grep -q '^opencl:0' || cases="$cases opencl"
for case in $cases; do
    expect "$case" 0 "" python "$here/python.py" "$case" "$work/small.lift" "$work/plan.db"
done
expect "no library" 1 "ImportError: lift: cannot load the library '/none/liblift.so'" \
    env LIFT_LIBRARY=/none/liblift.so PYTHONPATH="${module%/lift/__init__.py}" "$python" -c 'import lift'
finish

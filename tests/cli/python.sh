#!/bin/sh
# The installed Python module: 'sh tests/cli/python.sh ROOT LIFT BUILD SANITIZERS COMPILER...'.
. "$(dirname "$0")/cli.sh"
build=$3
sanitizers=$4
shift 4
cases="execute options stored looped arrays arguments copies masks interrupted remote measured patient"

for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null && break
done
if [ -z "$python" ]; then
    skip "the Python module" "no Python with NumPy is installed"
    finish
fi
# The interpreter is built without sanitizers: their library is preloaded, but not into child
# processes, which may need another one. The interpreter's own leaks are ignored.
preload=
if [ "$sanitizers" != none ]; then
    runtime=$("$@" -print-file-name=libasan.so)
    case $runtime:$sanitizers in
        /*:*address*)
            preload="LD_PRELOAD=$runtime"
            export ASAN_OPTIONS=detect_leaks=0
            ;;
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
cat >"$work/start.py" <<END_OF_PYTHON
import os, runpy, sys
os.environ.pop("LD_PRELOAD", None)
sys.executable = "$work/python"
del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
END_OF_PYTHON
printf '#!/bin/sh\nexec env %s %s %s/start.py "$@"\n' "$preload" "$python" "$work" >"$work/python"
chmod +x "$work/python"
python() {
    env PYTHONPATH="${module%/lift/__init__.py}" PYTHONDONTWRITEBYTECODE=1 "$work/python" "$@"
}

# The first Python of the page, in a folder with a program of that name.
sed -n '/^```python$/,/^```$/{/^```/{/^```$/q
d
}
p
}' docs/use-a-kernel.md >"$work/quick.py"
verdict "the quick start has five lines" \
    "$([ "$(wc -l <"$work/quick.py")" -eq 5 ] || cat "$work/quick.py")"
cp programs/heat.lift "$work/heat.lift"
quick() {
    cd "$work" && python quick.py
}
expect "the quick start of docs/use-a-kernel.md runs" 0 "a default kernel" quick
sed -n '/^    import lift/,/^$/s/^    //p' "$module" >"$work/quick.py"
expect "and that of the module's own text" 0 "a default kernel" quick

! "$lift" devices 2>/dev/null | grep -q '^opencl:0' || cases="$cases opencl"
for case in $cases; do
    expect "$case" 0 "" python "$here/python.py" "$case" "$work/small.lift" "$work/plan.db"
done
if german true; then
    expect "under a locale with a decimal comma" 0 "" german env \
        PYTHONPATH="${module%/lift/__init__.py}" PYTHONDONTWRITEBYTECODE=1 \
        "$work/python" "$here/python.py" german "$work/small.lift" "$work/german.db"
else
    skip "under a locale with a decimal comma" "$no_german"
fi
expect "no library" 1 "ImportError: lift: cannot load the library '/none/liblift.so'" \
    env LIFT_LIBRARY=/none/liblift.so PYTHONPATH="${module%/lift/__init__.py}" "$python" -c 'import lift'
finish

#!/bin/sh
# Explorations next to busy processes: each must end in time, with a verified kernel, and say that the
# machine was busy. An exploration may exceed its time only until its first kernel is verified: column
# "extended". Prints a row for each exploration, and ends with status 1 if one fails.
usage() {
    cat <<'END'
usage: sh bench/busy.sh [OPTIONS] LIFT [FILE.lift [NAME=LENGTH,...]]

Explores FILE.lift (programs/jacobi2d5.lift, 4096 by 4096) on this processor, each time into a fresh
database, next to busy processes.

  -n NUMBER     number of explorations (10)
  -t SECONDS    time of each exploration (20)
  -p PROCESSES  number of busy processes (4); 0: the machine as it is, and a row need not be busy
  -g SECONDS    time over the limit that still counts as in time (3)
END
}

explorations=10 seconds=20 processes=4 grace=3
while getopts n:t:p:g:h option; do
    case $option in
    n) explorations=$OPTARG ;;
    t) seconds=$OPTARG ;;
    p) processes=$OPTARG ;;
    g) grace=$OPTARG ;;
    h)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -lt 1 ] || [ $# -gt 3 ]; then
    usage >&2
    exit 2
fi
lift=$1 file=${2:-programs/jacobi2d5.lift} sizes=${3:-}
[ $# -ge 2 ] || sizes=nx=4096,ny=4096

work=$(mktemp -d) hogs=
trap 'for hog in $hogs; do kill "$hog" 2>/dev/null; done; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
while [ "$processes" -gt 0 ]; do
    sh -c 'while :; do :; done' &
    hogs="$hogs $!"
    processes=$((processes - 1))
done

failed=0 number=0
echo "run  status  seconds  extended  trials  verified   GPts/s  machine"
while [ $number -lt "$explorations" ]; do
    number=$((number + 1))
    status=0
    # shellcheck disable=SC2086
    "$lift" explore "$file" ${sizes:+--size "$sizes"} --seconds "$seconds" --db "$work/$number.db" --json --quiet \
        >"$work/out" 2>"$work/err" || status=$?
    python3 - "$work/out" "$number" "$status" "$seconds" "$grace" "${hogs:+busy}" <<'END' || failed=1
import json, sys
path, number, status, limit, grace, hogs = sys.argv[1:]
try:
    run = json.load(open(path))
except ValueError:
    print(f"{number:>3}  {status:>6}  no result")
    sys.exit(1)
device = run["devices"][0]
top = device["top"][0] if device["top"] else {"gpts": 0, "confirmed": False}
machine = device["interference"] or {"busy": False, "words": "unknown"}
extended = run["extended"] or 0
problems = [text for text, bad in (
    ("failed", status != "0"),
    ("late", run["seconds"] > float(limit) + extended + float(grace)),
    ("no verified kernel", not device["top"]),
    ("not called busy", bool(hogs) and not machine["busy"])) if bad]
print(f"{number:>3}  {status:>6}  {run['seconds']:7.1f}  {extended:8.1f}  {run['trials']:6}  {run['verified']:8}  {top['gpts']:7.3f}  "
      + machine["words"] + "".join(f"; PROBLEM: {text}" for text in problems), flush=True)
if problems:
    print("    " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in run["stages"].items()))
sys.exit(bool(problems))
END
    [ "$status" -eq 0 ] || cat "$work/err"
done
[ $failed -eq 0 ] && echo "every exploration ended in time with a verified kernel"
exit $failed

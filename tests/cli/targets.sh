#!/bin/sh
# Kernels built for architectures of which there is no device here:
#   sh tests/cli/targets.sh ROOT LIFT
# tests/cli/random.sh has many of all programs.
. "$(dirname "$0")/cli.sh"

targets="cuda:sm_80 cuda:sm_90 hip:gfx90a hip:gfx1030"
each=2

TMPDIR=$work/tmp
export TMPDIR
mkdir -p "$TMPDIR/lift-cc-abcdef/comgr-1/input"
touch "$TMPDIR/lift-cc-abcdef/comgr-1/input/CompileSource"
touch -d '1 hour ago' "$TMPDIR/lift-cc-abcdef"
"$lift" devices >"$work/devices"

# ---- which can be built for
devices=
count=0
for target in $targets; do
    run "$lift" derive programs/heat.lift --family gmem --build-only --device "$target"
    if grep -q 'cannot build for' "$work/err"; then
        skip "kernels for $target" "$(sed 's/^lift: not built: //' "$work/err")"
        continue
    fi
    devices="$devices --device $target"
    count=$((count + 1))
    if [ "$status" -eq 0 ] && grep -q '^ok .*; [0-9]* registers, nothing spilled' "$work/out"; then
        ok "$target: $(sed 's/^ok [^;]*; //' "$work/out")"
    else
        not_ok "a kernel for $target takes registers, and spills none" \
            "$(cat "$work/out" "$work/err")"
    fi
    expect "$target: local memory is reported" 0 "local" \
        "$lift" derive programs/heat.lift --family smem --build-only --device "$target"
    rejected "$target: nothing can be run" 1 "$target --build-only" \
        "$lift" derive programs/heat.lift --family gmem --verify --device "$target"
    rejected "$target: nothing can be explored" 1 "$target --build-only" \
        "$lift" explore programs/heat.lift --trials 1 --db "$work/none.db" --device "$target"
    expect "$target: the compiler gets the number of resident blocks" 0 \
        '"min_blocks":2}; ' "$lift" derive programs/heat.lift --family gmem --build-only \
        --device "$target" --set block_x=64,block_y=4,block_z=1,min_blocks=2
    expect "$target: more than there is room for" 1 "constraint:" "$lift" derive \
        programs/heat.lift --family gmem --build-only --device "$target" \
        --set block_x=64,block_y=8,block_z=1,min_blocks=6
    verdict "$target: 'lift devices' lists the target" \
        "$(grep -q "^${target%:*}:ARCH " "$work/devices" || cat "$work/devices")"
done
case $devices in
    *hip*)
        expect "too much shared memory is rejected before compilation" 1 \
            "bytes of local memory: at most 65536" "$lift" derive programs/acoustic_iso.lift \
            --family planes_smem --build-only --set tile_y=24,tile_x=96 --device hip:gfx90a
        verdict "nothing is left of compilers, nor of one that was killed before" "$(ls "$TMPDIR")"
        ;;
esac

# ---- the host's
run "$lift" explore "$work/small.lift" --device host:aarch64 --build-only 2 --max-exprs 4
if grep -q 'cannot build for' "$work/err"; then
    skip "kernels for host:aarch64" "$(cat "$work/err")"
else
    verdict "kernels are built for another processor" "$([ "$status" -eq 0 ] &&
        grep -q '^host:aarch64: 2 built' "$work/out" || cat "$work/out" "$work/err")"
    rejected "and are not run" 1 "host:aarch64" \
        "$lift" explore "$work/small.lift" --device host:aarch64 --check-only 1
    verdict "'lift devices' has it" "$(grep -q '^host:ARCH ' "$work/devices" || cat "$work/devices")"
fi
rejected "an unknown processor" 1 "host:vax aarch64" \
    "$lift" explore "$work/small.lift" --build-only 1 --device host:vax

# ---- programs of random candidates
expect "programs are written" 0 "host: 2 built" "$lift" explore "$work/small.lift" --build-only 2 \
    --max-exprs 4 --programs "$work/programs"
verdict "and counted" "$(grep -qF "2 programs written to '$work/programs'" "$work/out" || cat "$work/out")"
verdict "one of each" "$(ls "$work/programs" | awk '/^00[12]-[0-9a-f]+\.c$/ && length == 18 { n++ } END { if (n != 2 || NR != 2) print n " of " NR }')"
expect "not of unbuilt candidates" 2 "--programs needs --build-only" \
    "$lift" explore "$work/small.lift" --check-only 1 --programs "$work/programs"
expect "into a new folder" 0 "1 programs written to '$work/new'" "$lift" explore \
    "$work/small.lift" --build-only 1 --max-exprs 4 --programs "$work/new"
rejected "or else nothing is built" 1 "$work/none/new" "$lift" \
    explore "$work/small.lift" --build-only 1 --max-exprs 4 --programs "$work/none/new"
verdict "nor said to be" "$(grep built "$work/out")"
rejected "a file is no folder" 1 "$work/small.lift" "$lift" \
    explore "$work/small.lift" --build-only 1 --max-exprs 4 --programs "$work/small.lift"
mkdir "$work/taken" "$work/taken/one"
for program in "$work"/new/*; do
    mkdir "$work/taken/$(basename "$program")"
done
expect "an unwritable file" 1 "'$work/taken'" "$lift" explore \
    "$work/small.lift" --build-only 1 --max-exprs 4 --programs "$work/taken"

# ---- random candidates
built() {
    sed -n 's/^[a-z]*:[a-z0-9_]*: \([0-9]*\) built, .*; 0 rejected by the compiler; \([0-9]*\) have no.*/\1 \2/p' \
        "$work/out" | awk '{ n += $1; none += $2 } END { print (none <= n ? n + none : 0) }'
}
for program in acoustic srad1 acoustic_iso:double; do
    [ "$count" -gt 0 ] || break
    precision=single
    case $program in *:double) precision=double ;; esac
    # options are words
    # shellcheck disable=SC2086
    run "$lift" explore "programs/${program%:*}.lift" $devices --build-only "$each" \
        --max-exprs 40 --precision $precision
    if [ "$status" -eq 0 ] && [ "$(built)" -eq $((each * count)) ]; then
        ok "$program: $(built) candidates are built for$(echo "$devices" | sed 's/ --device//g')"
    else
        not_ok "candidates of $program" "$(grep -v '^[0-9a-f]\{12\}  *[0-9]' "$work/out"; cat "$work/err")"
    fi
done

# ---- where there is a device, it can be built for, too
expect "candidates are built for the host" 0 "host: 2 built" \
    "$lift" explore "$work/small.lift" --build-only 2 --max-exprs 4
expect "and as JSON" 0 '"spill_bytes"' \
    "$lift" explore "$work/small.lift" --build-only 1 --max-exprs 4 --json
run "$lift" explore "$work/small.lift" --build-only 3 --max-exprs 8 --seed 5 --jobs 2
cp "$work/out" "$work/first"
run "$lift" explore "$work/small.lift" --build-only 3 --max-exprs 8 --seed 5 --jobs 1
verdict "the same seed draws the same, whoever is ready first" "$(diff "$work/first" "$work/out")"
run "$lift" explore "$work/small.lift" --check-only 3 --max-exprs 8 --seed 5
verdict "and are right at small sizes" "$([ "$status" -eq 0 ] &&
    grep -q '^host: 3 correct at small sizes; 0 wrong' "$work/out" || cat "$work/out" "$work/err")"
verdict "which are the same expressions" "$(for name in first out; do
    sed -n 's/^\([0-9a-f]\{12\}\) .*/\1/p' "$work/$name"
done | sort | uniq -u)"
rejected "an architecture cannot be checked" 1 "cuda:sm_90" \
    "$lift" explore "$work/small.lift" --check-only 1 --device cuda:sm_90
rejected "an unknown architecture" 1 "cuda:sm_1 sm_90" \
    "$lift" explore "$work/small.lift" --build-only 1 --device cuda:sm_1
expect "no number of candidates" 2 "--build-only" \
    "$lift" explore "$work/small.lift" --build-only none
expect "one thing at a time" 2 "give only one of --emit, --verify and --build-only" \
    "$lift" derive "$work/small.lift" --verify --build-only
finish

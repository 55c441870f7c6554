#!/bin/sh
# Compiled kernels that are kept for later processes. 'sh tests/cli/kept.sh ROOT LIFT'.
. "$(dirname "$0")/cli.sh"

cd "$work" || exit 99
unset XDG_CACHE_HOME
export LIFT_CACHE="$work/cache"
cat >twice.lift <<'END_OF'
size n = 9
stencil twice(x: [f32]n) -> y = map(t -> 2.0 * t, x)
END_OF
sed 's/2\.0/3.0/' twice.lift >thrice.lift
# A compiler that counts how often it compiles.
real=$(command -v cc)
printf '#!/bin/sh\nfor a; do [ "$a" = -shared ] && echo >>"%s/compiled"; done\nexec "%s" "$@"\n' "$work" "$real" >counting-cc
chmod +x counting-cc
export LIFT_CC="$work/counting-cc"
compiles() { # what, how many times, program, more arguments
    rm -f compiled y.raw
    wanted=$2
    what=$1
    program=$3
    shift 3
    run "$lift" run "$program" --quiet --in x=21 --out y=y.raw "$@"
    count=$(cat compiled 2>/dev/null | wc -l)
    verdict "$what" "$([ "$status" -eq 0 ] && [ "$count" -eq "$wanted" ] ||
        { echo "status $status, $count compilations"; cat err; })"
}
first() { # the first element of the result
    od -An -t f4 -N 4 y.raw | tr -d ' '
}

compiles "a kernel is compiled" 1 twice.lift
compiles "and not again" 0 twice.lift
verdict "the kept kernel computes" "$([ "$(first)" = 42 ] || first)"
verdict "no other user sees it" "$(find cache -perm /077)"
compiles "another program is compiled" 1 thrice.lift
verdict "and computes its own" "$([ "$(first)" = 63 ] || first)"
compiles "another precision is compiled" 1 twice.lift --precision double
cp counting-cc other-cc
LIFT_CC=$work/other-cc compiles "another compiler compiles" 1 twice.lift
touch -d '2001-01-01' counting-cc
compiles "a compiler that was replaced compiles" 1 twice.lift
compiles "once" 0 twice.lift

# An entry that another user could change, or that is damaged, is not used.
spoil() { # what, command for each entry
    for entry in cache/*.kernel; do
        eval "$2"
    done
    compiles "$1" 1 twice.lift
    verdict "$1: the result" "$([ "$(first)" = 42 ] || first)"
}
spoil "a byte of the kernel" 'printf X | dd of="$entry" bs=1 seek=$(($(wc -c <"$entry") - 3000)) conv=notrunc 2>/dev/null'
compiles "and it is written anew" 0 twice.lift
spoil "half an entry" 'truncate -s 2000 "$entry"'
spoil "an empty entry" ': >"$entry"'
spoil "a first line without end" 'head -c 5000 /dev/zero | tr "\0" 9 >"$entry"'
spoil "an entry that others may write" 'chmod go+w "$entry"'
spoil "a link in its place" 'mv "$entry" "$entry.there"; ln -s "$(basename "$entry").there" "$entry"'
rm -f cache/*.there
chmod 777 cache
compiles "a folder that others may write is not used" 1 twice.lift
chmod 700 cache
compiles "others are" 0 twice.lift
entry=$(ls cache/*.kernel | head -n 1)
touch -d '2 hours ago' "$entry.part-1"
compiles "parts that dead writers left go" 1 thrice.lift --precision double
verdict "at the next entry" "$(ls cache/*.part-1 2>/dev/null)"

# Several processes.
rm -rf cache
for i in 1 2 3 4; do
    "$lift" run twice.lift --quiet --in x=$i --out y=y$i.raw 2>err.$i &
done
wait
for i in 1 2 3 4; do
    cp y$i.raw y.raw
    verdict "process $i of four" "$([ "$(first)" = $((2 * i)) ] || cat err.$i)"
done
compiles "and one entry is kept" 0 twice.lift
verdict "without parts" "$(ls cache | grep -v '\.kernel$')"

# Where it lies, and where there is none.
rm -rf cache
LIFT_CACHE=off compiles "none is kept if that is wanted" 1 twice.lift
verdict "and no folder made" "$(ls -d cache 2>/dev/null)"
unset LIFT_CACHE
HOME=$work/home compiles "in the home" 1 twice.lift
HOME=$work/home compiles "of the user" 0 twice.lift
verdict "at its place" "$(ls home/.cache/lift/*.kernel 2>&1 >ls.out)"
HOME=$work/home XDG_CACHE_HOME=$work/xdg compiles "or where XDG has it" 1 twice.lift
verdict "in a folder of lift" "$(ls xdg/lift/*.kernel 2>&1 >ls.out)"
mkdir full
chmod 500 full
LIFT_CACHE=$work/full/there compiles "a place that cannot be written is none" 1 twice.lift
finish

#!/bin/sh
# Continuous integration reads a part of the files by clang-tidy: which, how many it says, and its status.
. "$(dirname "$0")/tap.sh"

if ! command -v git >/dev/null 2>&1; then
    skip "parts of the files" "git is not installed"
    finish
fi
scripts=$PWD/scripts
mkdir -p "$work/tree/src" "$work/tree/scripts" "$work/bin"
cp "$scripts/tidy.sh" "$scripts/tidy_some.sh" "$work/tree/scripts"
cat >"$work/bin/clang-tidy" <<'END'
#!/bin/sh
for file; do :; done
echo "$file" >>"$READ"
sleep "${SLOW:-0}"
! grep -q bad "$file" || { echo "$file:1:1: error: bad" && exit 1; }
! grep -q crash "$file" || kill -SEGV $$
END
chmod +x "$work/bin/clang-tidy"
cd "$work/tree" || exit 1
commit() {
    git add . && git -c user.name=a -c user.email=a@b commit -qm "$1"
}
for i in $(seq 100 159); do echo >"src/$i.c"; done
git init -q . && commit first
for i in 101 120 121 130 159; do echo new >"src/$i.c"; done
commit second
CI_BASE=$(git rev-parse HEAD~)
PATH=$work/bin:$PATH READ=$work/read
export CI_BASE PATH READ
some() { # seconds, day
    : >"$READ"
    status=0
    sh scripts/tidy_some.sh build "$@" >"$work/out" || status=$?
    last=$(tail -n 1 "$work/out")
}
some 1000 0
verdict "with enough time all files are read, each once" "$([ "$status $last" = \
    "0 clang-tidy read 5 of 5 changed files and 55 of 55 others" ] || echo "$status $last")$(sort "$READ" | uniq -d)$(
    [ "$(sort -u "$READ" | wc -l)" -eq 60 ] || echo "other files")"
verdict "changed ones first" "$(head -n 5 "$READ" | grep -vxE 'src/(101|120|121|130|159)\.c')"
sed '1,5d' "$READ" | head -n 40 >"$work/first"
cores=$(getconf _NPROCESSORS_ONLN)
export SLOW=1
some 1 0
changed=$((cores < 5 ? cores : 5)) others=$((cores < 55 ? cores : 55))
verdict "the lack of time is no failure, and is reported" "$([ "$status $last" = \
    "0 clang-tidy read $changed of 5 changed files and $others of 55 others" ] || echo "$status $last")"
SLOW=0
echo bad >src/120.c
echo crash >src/121.c
some 1000 1
sed '1,5d' "$READ" | head -n 40 | sort -u - "$work/first" >"$work/reached"
verdict "40 a day are all in two days" "$([ "$(wc -l <"$work/reached")" -eq 55 ] || cat "$work/reached")"
verdict "a finding is a failure" "$([ $status -eq 1 ] && grep -q 'src/120.c:1:1: error' "$work/out" || cat "$work/out")"
verdict "so is a crash of the tool" "$(grep -q 'src/121.c: error' "$work/out" || cat "$work/out")"
finish

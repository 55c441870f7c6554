#!/bin/sh
# Proves that the checks of the house can fail: each is pointed at a small tree with one thing
# wrong and must say so, and at a good one and must be content.
. "$(dirname "$0")/tap.sh"


# A good tree, to be spoilt by one line.
good() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/ir/text" "$work/tree/src/cli" \
        "$work/tree/include/lift" "$work/tree/programs" "$work/tree/tests"
    cd "$work/tree" || exit 99
    cp "$here/../../.clang-format" .
    printf "files('include/lift/ir.h')\n" >meson.build
    printf 'int lift_ir(void);\n' >include/lift/ir.h
    printf 'int lift_str(void);\n' >src/base/str.h
    printf '#include "base/str.h"\nint lift_nat(void);\n' >src/ir/nat.h
    printf '#include "base/str.h"\n\nint lift_str(void)\n{\n    return 1;\n}\n' >src/base/str.c
    printf '#include "ir/nat.h"\n#include "ir/ir_t.h"\n#include "ir/text/lex.h"\n' >src/ir/nat.c
    printf 'int ir_private(void);\n' >src/ir/ir_t.h
    printf '#include "lift/ir.h"\nint ir_lex(void);\n' >src/ir/text/lex.h
    printf 'let x = 1\n' >programs/a.lift
}

# Runs a check on the tree; it must fail and its output must hold the text.
refuses() { # check, text
    out=$(sh "$here/$1.sh" "$work/tree" 2>&1)
    status=$?
    what="$1 refuses: $2"
    case $out in
    *"# SKIP"*) skip "$what" "$1 is skipped here" ;;
    *"$2"*) [ $status -ne 0 ] && ok "$what" || not_ok "$what" "exit status 0: $out" ;;
    *) not_ok "$what" "$out" ;;
    esac
}

good
for check in layers headers lengths format text numbers; do
    out=$(sh "$here/$check.sh" "$work/tree" 2>&1) && ok "$check accepts a good tree" ||
        not_ok "$check accepts a good tree" "$out"
done

good
printf '#include "ir/nat.h"\n' >>src/base/str.c
refuses layers 'src/base/str.c:7: base includes "ir/nat.h" of the higher layer ir'
good
mkdir -p docs
printf '# A\n\nThis page says A (docs/a.md, Bees).\n\n## Bee\n' >docs/a.md
refuses text "docs/a.md has no section 'Bees'"
printf '# A\n\nThis page says A (docs/a.md, Bee).\n\n## Bee\n' >docs/a.md
out=$(sh "$here/text.sh" "$work/tree" 2>&1) && ok "text accepts a section that is there" ||
    not_ok "text accepts a section that is there" "$out"
good
printf '  #  include <lift/ir.h>\n' >>src/base/str.h
refuses layers 'src/base/str.h:2: base includes "lift/ir.h" of the higher layer ir'
good
printf '#include "../ir/nat.h"\n' >>src/base/str.c
refuses layers 'base includes "../ir/nat.h" of the higher layer ir'
for header in ir/ir_t.h ir/text/lex.h; do
    good
    printf '#include "%s"\n' $header >src/cli/main.c
    refuses layers "src/cli/main.c:1: \"$header\" is private to ir"
    good
    printf '#include "%s"\n' $header >>src/ir/nat.h
    refuses layers "src/ir/nat.h:3: other layers include this header: \"$header\" is private to ir"
done
good
printf 'int lift_gadget(void);\n' >include/lift/gadget.h
refuses layers 'include/lift/gadget.h: belongs to no layer: add it to tests/house/layers.txt'
refuses layers 'include/lift/gadget.h: is not installed: move it next to its source'
good
printf '#include "gadgets/gadget.h"\n' >>src/ir/nat.c
refuses layers '"gadgets/gadget.h" belongs to no layer'
good
mkdir src/attic
refuses layers 'src/attic: no such layer'
good
mkdir src/base/crowd
for n in $(seq 41); do : >src/base/crowd/$n.c; done
refuses layers 'src/base/crowd: 41 .c files, at most 40: make folders of it'

good
printf 'size_t lift_size(void);\n' >>include/lift/ir.h
refuses headers 'not ok 1 - include/lift/ir.h compiles alone'
good
printf 'struct lift_twice {\n    int x;\n};\n' >>src/base/str.h
refuses headers "redefinition of"

# A function of so many lines.
long() { # lines, name
    printf 'int %s(void)\n{\n    int x = 0;\n' "$2"
    i=5
    while [ $i -lt "$1" ]; do
        printf '    x++;\n'
        i=$((i + 1))
    done
    printf '    return x;\n}\n'
}
good
long 81 lift_long >src/ir/long.c
refuses lengths "src/ir/long.c:1: 'lift_long' has 81 lines"
good
long 80 lift_long >src/ir/long.c
refuses lengths 'p90 of lengths at most 40'
good
for i in 1 2 3; do long 16 lift_long$i; done >src/ir/long.c
refuses lengths 'median length at most 15'
good
yes '/* more */' | head -n 801 >src/ir/big.c
refuses lengths 'src/ir/big.c: 801 lines'
good
yes '/* more */' | head -n 501 >src/ir/big.c
refuses lengths 'src/ir/big.c: 501 lines'
good
yes '/* more */' | head -n 301 >src/cli/cmd_big.c
refuses lengths 'src/cli/cmd_big.c: 301 lines'
good
printf 'int f(int a, int b, int (*c)(int, int), int d, int e, int g, int h)\n{\n    return a;\n}\n' \
    >src/ir/many.c
refuses lengths "src/ir/many.c:1: 'f' has 7 parameters"
good
printf 'int f(void)\n{\n#ifdef X\n    return 1;\n#endif\n    return 0;\n}\n' >src/ir/if.c
refuses lengths "src/ir/if.c:3: #if inside 'f'"

good
printf 'int  f (void);\n' >>src/ir/ir_t.h
refuses format 'src/ir/ir_t.h: not formatted'

good
printf 'double f(const char *t)\n{\n    double x;\n    *t ? *&x = strtod(t, NULL) : 0;\n}\n' >src/ir/f.c
refuses numbers 'src/ir/f.c:4: use lift_strtod'
good
printf 'void f(void)\n{\n    sscanf(text,\n           "%%d %%lf", &n, &x);\n}\n' >src/cli/f.c
refuses numbers 'src/cli/f.c:3: use lift_sscanf'
good
printf 'void f(void)\n{\n    snprintf(text, size, "%%s",\n             p ? "%%.9g" : "0", x);\n}\n' >src/ir/f.c
refuses numbers 'src/ir/f.c:3: use lift_snprintf'
good
printf 'void f(void)\n{\n    vprintf(format, args);\n}\n' >src/ir/f.c
refuses numbers 'src/ir/f.c:3: use lift_vsnprintf'
good
printf 'void f(void)\n{\n    json_loads(text, 0, NULL);\n}\n' >src/ir/f.c
refuses numbers 'src/ir/f.c:3: use base/json.h'
good
printf '#include <ctype.h>\n' >src/ir/f.c
refuses numbers 'src/ir/f.c:1: use lift_is_alpha'
good
printf 'void f(void)\n{\n    setlocale(LC_ALL, "");\n}\n' >src/cli/f.c
refuses numbers 'src/cli/f.c:3: belongs to the program around the library'

good
: >programs/empty.lift
refuses text 'programs/empty.lift: empty'
good
printf 'let y = 2 \n' >>programs/a.lift
refuses text 'programs/a.lift:2: blanks at the end'
good
printf '\tlet y = 2\n' >>programs/a.lift
refuses text 'programs/a.lift:2: a tab'
good
printf 'let y = 2' >>programs/a.lift
refuses text 'programs/a.lift: no newline at the end'
good
printf 'let \303\251 = 2\n' >>programs/a.lift
refuses text 'programs/a.lift:2: not ASCII'

# Documents.
page() { # text behind the beginning
    mkdir -p docs
    printf '# A\n\nThis page is for tests.\n\n%s\n' "$1" >docs/a.md
}
long=$(printf '%0120d' 0)
good
page "| a | $long |"
out=$(sh "$here/text.sh" "$work/tree" 2>&1) && ok "text accepts a long row of a table" ||
    not_ok "text accepts a long row of a table" "$out"
good
page "words $long"
refuses text 'docs/a.md:5: more than 100 columns'
good
page "    code | $long"
refuses text 'docs/a.md:5: more than 100 columns'
good
page "| a | $long$long |"
refuses text 'docs/a.md:5: a cell of 242 characters'
good
page 'words'
sed -i 3d docs/a.md
refuses text "docs/a.md:3: no 'This page ...'"
good
page 'See `src/base/none.c`.'
refuses text 'docs/a.md: there is no src/base/none.c'
good
page '![A picture](pictures/none.svg)'
refuses text 'docs/a.md: there is no docs/pictures/none.svg'
good
printf 'This sentence has %s words.\n' 1 2 3 4 5 6 7 8 9 10 | tr -d '.\n' >README.md
printf '.\n' >>README.md
refuses text 'words: This sentence has'
good
mkdir -p docs/pictures
printf "A text.\n" >README.md
cp "$here/../../docs/pictures/"* docs/pictures
for picture in docs/pictures/*.svg; do
    printf '![A picture](pictures/%s)\n' "$(basename "$picture")" >>docs/a.md
done
out=$(sh "$here/pictures.sh" "$work/tree" 2>&1) && ok "pictures accepts a good tree" ||
    not_ok "pictures accepts a good tree" "$out"
printf '<!-- drawn by hand -->\n' >>docs/pictures/retiming.svg
refuses pictures 'Files '

# ---- the functions that all checks are made of
mkdir -p "$work/own/cli"
ln -s "$here" "$work/own/house"
ln -s "$here/../cli/cli.sh" "$work/own/cli/cli.sh"
harness() { # what, status, line that it prints, script
    printf '. "$(dirname "$0")/cli.sh"\n%s\nfinish\n' "$4" >"$work/own/cli/case.sh"
    out=$(sh "$work/own/cli/case.sh" "$work" lift 2>&1)
    status=$?
    if [ $status -eq "$2" ] && printf '%s\n' "$out" | grep -qxF -- "$3"; then
        ok "$1"
    else
        not_ok "$1" "status $status: $out"
    fi
}
harness "no complaints pass" 0 "ok 1 - a" 'verdict a "$(true)"'
harness "a complaint fails" 1 "not ok 1 - a" 'verdict a "$(echo wrong)"'
harness "a command that is not there fails" 1 "not ok 1 - a" 'verdict a "$(nosuchcommand)"'
harness "a file that is not there fails" 1 "not ok 1 - a" 'verdict a "$(grep x nosuchfile)"'
harness "a query that fails does, too" 1 "not ok 1 - a" 'verdict a "$(sqlite3 :memory: "SELECT 1 FROM nosuch")"'
harness "so does what fails between checks" 1 "not ok 1 - a" 'mv nosuch file; verdict a "$(true)"'
harness "or after the last one" 1 "not ok 2 - what follows the last check" 'ok a; mv nosuch file'
harness "a command that shall succeed" 1 "not ok 1 - status 0 of: false" 'run false; verdict a "$(cat "$work/out")"'
harness "or end with another status" 1 "not ok 1 - status 2 of: false" 'ends_with 2 false'
harness "a number is a whole one" 1 "not ok 1 - a" 'expect a 0 "2 built" echo "12 built"'
harness "which is found" 0 "ok 1 - a" 'expect a 0 "2 built (x)" echo "host: 2 built (x)"'
harness "what a sanitizer reports is no expected failure" 1 \
    "not ok 1 - a sanitizer is content with: sh -c echo '==1==ERROR: AddressSanitizer: x' >&2; exit 1" \
    'expect a 1 "" sh -c "echo '"'"'==1==ERROR: AddressSanitizer: x'"'"' >&2; exit 1"'
finish

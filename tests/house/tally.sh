#!/bin/sh
# Checks that the sum of the tests is right: compares the output of scripts/tally.awk for an
# artificial log of 'meson test'.
. "$(dirname "$0")/tap.sh"

# One section of a log; the output comes from stdin.
section() { # name, result
    printf '==================================== 1/9 =====================================\n'
    printf 'test:         %s\nstart time:   06:20:32\nduration:     0.07s\n' "$1"
    printf 'result:       %s\ncommand:      ./%s\n' "$2" "$1"
    printf '%s\n' '----------------------------------- stdout -----------------------------------'
    cat
    printf '==============================================================================\n\n'
}

# Compares the lines from stdin with the tally's output for the log.
tallies() { # what, expected exit status, log
    expected=$(cat)
    found=$(printf '%s\n' "$3" | awk -f scripts/tally.awk 2>&1)
    status=$?
    if [ "$found" = "$expected" ] && [ $status -eq "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "exit status $status and:
$found"
    fi
}

good=$(section good 'exit status 0' <<'END'
[==========] Running 2 test(s).
[ RUN      ] test_a
[       OK ] test_a
[ RUN      ] test_b
[       OK ] test_b
[==========] 2 test(s) run.
----------------------------------- stderr -----------------------------------
[  PASSED  ] 2 test(s).
END
)
tallies "cases of cmocka are counted singly" 0 "$good" <<'END'
good: 2 passed, 0 failed
2 passed, 0 failed
END

skips=$(section skips 'exit status 0' <<'END'
[==========] Running 2 test(s).
[ RUN      ] test_a
[       OK ] test_a
[ RUN      ] test_b
no OpenCL platform
[  SKIPPED ] test_b
[==========] 2 test(s) run.
----------------------------------- stderr -----------------------------------
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] test_b
END
)
tallies "a skipped case is told with its reason" 0 "$skips" <<'END'
skips: 1 passed, 0 failed, 1 skipped
skipped: skips: test_b: no OpenCL platform
1 passed, 0 failed, 1 skipped
END

bad=$(section bad 'exit status 1' <<'END'
[==========] Running 2 test(s).
[ RUN      ] test_a
[  FAILED  ] test_a
[ RUN      ] test_b
[       OK ] test_b
[==========] 2 test(s) run.
----------------------------------- stderr -----------------------------------
[  PASSED  ] 1 test(s).
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] test_a
END
)
tallies "a failed case is counted once" 1 "$good
$bad" <<'END'
good: 2 passed, 0 failed
bad: 1 passed, 1 failed
failed: bad: test_a
3 passed, 1 failed
END

crash=$(section crash 'killed by signal 11 SIGSEGV' <<'END'
[==========] Running 3 test(s).
[ RUN      ] test_a
[       OK ] test_a
[ RUN      ] test_b
END
)
tallies "a crash is the failure of its case" 1 "$crash" <<'END'
crash: 1 passed, 1 failed
failed: crash: test_b
1 passed, 1 failed
END

leak=$(section leak 'exit status 23' <<'END'
[==========] Running 1 test(s).
[ RUN      ] test_a
[       OK ] test_a
[==========] 1 test(s) run.
END
)
tallies "a program that ends badly after its cases has failed" 1 "$leak" <<'END'
leak: 1 passed, 1 failed
failed: leak: exit status 23
1 passed, 1 failed
END

absent=$(section absent 'exit status 77' <<'END'
no device here
END
)
tallies "exit status 77 is a skip" 0 "$good
$absent" <<'END'
good: 2 passed, 0 failed
absent: 0 passed, 0 failed, 1 skipped
skipped: absent: no device here
2 passed, 0 failed, 1 skipped
END

shell=$(section shell 'exit status 1' <<'END'
# 12 functions: median 3
ok 1 - first
not ok 2 - second
#   a.c:3: why
ok 3 - third # SKIP no ctags
1..3
END
)
tallies "lines of TAP are counted singly" 1 "$shell" <<'END'
shell: 1 passed, 1 failed, 1 skipped
    12 functions: median 3
skipped: shell: third: no ctags
failed: shell: second
    a.c:3: why
1 passed, 1 failed, 1 skipped
END

plain=$(section plain 'exit status 0' </dev/null)
tallies "a program without cases counts as one" 0 "$plain" <<'END'
plain: 1 passed, 0 failed
1 passed, 0 failed
END

tallies "an empty log is no success" 1 "" <<'END'
0 passed, 0 failed
END
finish

# Counts single tests in the log of 'meson test': the cases of cmocka programs and the lines of
# TAP, where meson counts whole programs. A program that ends badly without a failed case of
# its own (a crash, a time-out, a sanitizer) counts as one failure. Prints a line per suite,
# the failures, the reasons of skipped tests, and last the sum. Exit status 1 if any failed.

function close_case() {
    if (open_case == "")
        return
    failed++
    failures[++failure_count] = suite ": " open_case
    open_case = ""
}

function finish(   line, reached) {
    if (suite == "")
        return
    close_case()
    reached = result ~ /exit status 77|SKIP/
    if (reached && !skipped) {
        skipped++
        skips[++skip_count] = suite ": " last
    }
    if (result !~ /exit status 0/ && !reached && !failed) {
        failed++
        failures[++failure_count] = suite ": " result
    }
    if (!passed && !failed && !skipped)
        passed++
    line = suite ": " passed " passed, " failed " failed"
    print skipped ? line ", " skipped " skipped" : line
    for (i = 1; i <= notes; i++)
        print "    " note[i]
    all_passed += passed
    all_failed += failed
    all_skipped += skipped
}

# A section of the log begins with a ruler around 'i/n'.
/^=+ +[0-9]+\/[0-9]+ +=+$/ {
    finish()
    suite = "?"
    result = last = open_case = ""
    passed = failed = skipped = notes = 0
    header = 1
    next
}
header && /^test: / { suite = substr($0, 7); sub(/^ +/, "", suite); next }
header && /^result: / { result = substr($0, 9); sub(/^ +/, "", result); next }
header && /^-+ std(out|err) -+$/ { header = 0; next }
header { next }
/^=+$/ { next }

/^\[ RUN      \] / { close_case(); open_case = substr($0, 14); last = ""; next }
/^\[       OK \] / { passed++; open_case = ""; next }
/^\[  SKIPPED \] / {
    if (open_case != "") {
        skipped++
        skips[++skip_count] = suite ": " open_case ": " (last == "" ? "it gave no reason" : last)
        open_case = ""
    }
    next
}
/^\[==========\] [0-9]+ test\(s\) run/ { close_case(); next }

/^ok [0-9]+/ {
    if ($0 ~ /# SKIP/) {
        skipped++
        line = $0
        sub(/^ok [0-9]+ - /, "", line)
        sub(/ # SKIP/, ":", line)
        skips[++skip_count] = suite ": " line
    } else {
        passed++
    }
    next
}
/^not ok [0-9]+/ {
    line = $0
    sub(/^not ok [0-9]+ - /, "", line)
    failed++
    failures[++failure_count] = suite ": " line
    reasons = 0
    next
}
/^#   / {
    if (++reasons <= 20)
        failures[failure_count] = failures[failure_count] "\n    " substr($0, 5)
    else if (reasons == 21)
        failures[failure_count] = failures[failure_count] "\n    and more"
    next
}
/^# [0-9]/ { note[++notes] = substr($0, 3); next }
NF { last = $0 }

END {
    finish()
    for (i = 1; i <= skip_count; i++)
        print "skipped: " skips[i]
    for (i = 1; i <= failure_count; i++)
        print "failed: " failures[i]
    line = all_passed + 0 " passed, " all_failed + 0 " failed"
    print all_skipped ? line ", " all_skipped " skipped" : line
    exit all_failed > 0 || all_passed == 0
}

/* Rules from texts, and files of the tree, for the tests of rules. */
#ifndef RULE_FILES_H
#define RULE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lift/error.h"
#include "rules/rule.h"
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

/* Of any type: matching asks for none. */
static inline struct lift_rules *load_rules(const char *text)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};
    bool ok;

    lift_rules_keep_mistyped(rules);
    ok = lift_rules_load(rules, "test.rules", text, &errors);
    if (!ok)
        lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    assert_true(ok);
    return rules;
}

/* A path from the root of the tree; the caller releases it. */
static inline char *path_of(const char *file)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    char *path = NULL;

    assert_true(asprintf(&path, "%s/%s", root ? root : ".", file) > 0);
    return path;
}

#endif

/* Sets of rewrite rules: the shipped set, and rules of files (docs/rule-files.md). A set
 * does not change after loading and belongs to no context: many contexts may share a
 * set. */
#ifndef LIFT_RULES_H
#define LIFT_RULES_H

#include "lift/api.h"
#include "lift/error.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lift_rules;

/* The shipped set, ready for use. The caller ends the set by lift_rules_destroy, after
 * everything made from the set. */
LIFT_API struct lift_rules *lift_rules_shipped(void);
LIFT_API void lift_rules_destroy(struct lift_rules *rules);
/* Adds the rules of a file. Reports all mistakes; a file with a mistake adds no rule.
 * 'rules' keeps a copy of the source for later diagnostics. This function does not check
 * that rules are sound; 'lift rules check' does. */
LIFT_API bool lift_rules_load_file(struct lift_rules *rules, const char *path,
                                   struct lift_error *errors);

#ifdef __cplusplus
}
#endif

#endif

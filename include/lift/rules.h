/* Sets of rewrite rules: those that ship, and those of files (docs/rule-files.md). A set
 * does not change after loading and belongs to no context: one set serves many. */
#ifndef LIFT_RULES_H
#define LIFT_RULES_H

#include "lift/api.h"
#include "lift/error.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lift_rules;

/* The set that ships, ready to use; ended by lift_rules_destroy, after all that was made
 * from it. */
LIFT_API struct lift_rules *lift_rules_shipped(void);
LIFT_API void lift_rules_destroy(struct lift_rules *rules);
/* Adds the rules of a file. All mistakes are reported, and nothing is added if there is
 * any. 'rules' keeps a copy of the source, which the diagnostics refer to. Nothing checks
 * here that a rule is sound: 'lift rules check' does. */
LIFT_API bool lift_rules_load_file(struct lift_rules *rules, const char *path,
                                   struct lift_error *errors);

#ifdef __cplusplus
}
#endif

#endif

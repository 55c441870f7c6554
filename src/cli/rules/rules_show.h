/* Prints rules for people. */
#ifndef CLI_RULES_RULES_SHOW_H
#define CLI_RULES_RULES_SHOW_H

#include "cli/cli.h"

/* Prints one rule and, if 'program' is a .lift file, the places where the rule
 * applies. All functions return the exit status. */
int cli_rules_show(const struct lift_rules *rules, const char *name, const char *program);
/* Prints all rules as Markdown. */
int cli_rules_doc(const struct lift_rules *rules);
/* Prints the meaning of each tunable as a Markdown table. */
int cli_rules_tunables(void);
/* Prints the kernel families as Markdown tables. */
int cli_rules_families(const struct lift_rules *rules);

#endif

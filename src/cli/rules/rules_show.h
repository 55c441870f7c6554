/* Rules for people. */
#ifndef CLI_RULES_RULES_SHOW_H
#define CLI_RULES_RULES_SHOW_H

#include "cli/cli.h"

/* One rule; and if 'program' is a .lift file, where it applies there. Both return the
 * exit status. */
int cli_rules_show(const struct lift_rules *rules, const char *name, const char *program);
/* All of them, as Markdown. */
int cli_rules_doc(const struct lift_rules *rules);
/* What each tunable means, as a table of Markdown. */
int cli_rules_tunables(void);
/* The kernel families, as tables of Markdown. */
int cli_rules_families(const struct lift_rules *rules);

#endif

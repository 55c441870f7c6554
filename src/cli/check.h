/* 'lift check': collects the facts about one program as JSON, and prints the JSON for
 * people. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "explore/explore_footprint.h"
#include "lift/error.h"
#include "lift/program.h"
#include <jansson.h>

struct cli_checked {
    const char *file;
    const struct lift_source *source;
    const struct lift_program_options *sizes;
    const struct lift_program *program; /* its sizes are numbers */
    const struct lift_footprints *prints;
};

json_t *cli_check_json(const struct cli_checked *c);
/* check_decisions.c: the options of decisions, and for each kind of device whether
 * the options apply to the program. NULL with diagnostics. */
json_t *cli_check_decisions(const struct cli_checked *c, struct lift_error *errors);
void cli_check_print(const json_t *facts);

#endif

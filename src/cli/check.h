/* 'lift check': what is said of one program. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "explore/explore_footprint.h"
#include "ir/expr.h"
#include "lift/error.h"
#include "lift/program.h"
#include "rules/decision.h"
#include <jansson.h>

/* The kinds of devices that decisions tell apart. */
enum { CLI_CHECK_THREADS, CLI_CHECK_GROUPS, CLI_CHECK_KINDS };

/* An option of a decision, and whether it applies to the program on each kind. */
struct cli_checked_option {
    const struct lift_option *option;
    bool applies[CLI_CHECK_KINDS];
    char *why[CLI_CHECK_KINDS]; /* malloc'd: why it does not; else NULL */
};

struct cli_checked {
    const char *file;
    const struct lift_source *source;
    const struct lift_program_options *sizes;
    const struct lift_program *program; /* its sizes are numbers */
    const struct lift_footprints *prints;
    struct lift_rules *rules;           /* NULL: options were not asked for */
    struct cli_checked_option *options; /* malloc'd, in the order of decisions */
    int option_count;
};

/* check_decisions.c: fills in the options; false with diagnostics. Either way
 * cli_check_decisions_fini releases them. */
bool cli_check_decisions(struct cli_checked *c, struct lift_error *errors);
void cli_check_decisions_fini(struct cli_checked *c);
const char *cli_check_kind(int kind);

/* check_print.c, check_json.c */
void cli_check_print(const struct cli_checked *c);
json_t *cli_check_json(const struct cli_checked *c);

/* The line of a C function, and its name in it. */
int cli_check_line(const struct cli_checked *c,
                   const struct lift_program_function *function);
const char *cli_check_name(const struct lift_program_function *function, int *length);
/* Elements that are read before and after the point; false if the dimension does not go
 * with one of the point's, element by element. */
bool cli_check_halo(const struct lift_footprint_dim *dim, int64_t *before,
                    int64_t *after);

#endif

/* 'lift check': what is said of one program. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "lift/explore_footprint.h"
#include "lift/expr.h"
#include "lift/program.h"
#include <jansson.h>

struct cli_checked {
    const char *file;
    const struct lift_source *source;
    const struct lift_program *program; /* its sizes are numbers */
    const struct lift_footprints *prints;
};

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

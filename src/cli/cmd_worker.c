/* 'lift worker VERSION PARENT': serves a library of that version in process PARENT,
 * through the socket at descriptor 3. */
#include "cli/describe.h"
#include "lift/version.h"
#include "run/plan.h"
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv)
{
    if (argc != 3 || strcmp(argv[1], LIFT_VERSION) != 0)
        return cli_fail(CLI_USAGE, "'worker' is what libraries of lift %s start",
                        LIFT_VERSION);
    lift_worker_live(plan_serve, atoi(argv[2]));
}

const struct cli_command cli_worker = {"worker", "make plans for other programs", run,
                                       NULL, NULL};

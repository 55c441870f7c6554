/* A folder of the suite's own: make_folder and drop_folder are its setup and teardown. */
#ifndef LIFT_TESTS_SCRATCH_H
#define LIFT_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/lift-test-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Valid until the fourth call after this one. */
static inline const char *path_of(const char *name)
{
    static char path[4][256];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

#endif

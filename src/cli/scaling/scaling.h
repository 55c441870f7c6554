/* 'lift scaling', and what 'lift report' shares with it. */
#ifndef CLI_SCALING_SCALING_H
#define CLI_SCALING_SCALING_H

#include "cli/cli.h"
#include "report/scaling.h"

enum { SCALING_DEVICES = 32, SCALING_MOST = 1 << 20 };

struct scaling_args {
    struct lift_arena *arena;
    const char *file, *size, *precision, *db, *device, *measured;
    int64_t steps, every, cut, node;
    int devices[SCALING_DEVICES];
    int device_count;
    double rate, launch;           /* GPts/s, microseconds; 0: not given */
    struct scaling_link near, far; /* bandwidth 0: not given */
    bool json;
};

/* What is printed. */
struct scaling_view {
    const struct scaling_args *args;
    const char *program;
    const char *from; /* where the rate comes from */
    struct scaling_machine machine;
    struct scaling_stencil stencil;
    struct scaling_grid grid;
    struct scaling_measured measured; /* of no runs: nothing was measured */
    int fitted;                       /* exchanges that the near link comes from */
};

/* scaling_print.c */
void scaling_print(const struct scaling_view *view);
void scaling_print_json(const struct scaling_view *view);

/* cmd_scaling.c: a file of bench/scaling.sh; CLI_DONE, or CLI_FAILED and a message, or
 * CLI_USAGE if it is none. */
int cli_scaling_read(const char *path, struct scaling_measured *out);

#endif

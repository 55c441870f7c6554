/* The options of 'lift explore'. */
#ifndef CLI_EXPLORE_EXPLORE_ARGS_H
#define CLI_EXPLORE_EXPLORE_ARGS_H

#include "base/job.h"
#include "cli/cli.h"
#include "explore/explore.h"

enum { CLI_EXPLORE_LIST = 64 };

struct explore_args {
    struct lift_arena *arena; /* owns the memory that the options point to */
    const char *file, *precision;
    int64_t steps[LIFT_MAX_STEPS]; /* time steps a launch */
    int step_count;                /* 0: as explorations choose */
    const char *rules[CLI_EXPLORE_LIST];
    int rule_count;
    const char *devices[CLI_EXPLORE_LIST];
    const char *exprs[CLI_EXPLORE_LIST];
    const char *points[CLI_EXPLORE_LIST];
    struct lift_size_setting tunables[CLI_EXPLORE_LIST];
    /* All fields are set except source, rules, argv, interrupted and report. */
    struct lift_explore_options o;
    struct lift_job job;  /* size 1: no job, a single process */
    double winners_every; /* seconds; 0: the default of job.c */
    double rank_seconds;  /* seconds without a sign of life until a rank counts as dead */
    bool keep_ranks;      /* keep the ranks' databases after the merge */
    bool json, force, quiet, verbose, print_space;
    int sample;     /* with print_space: number of drawn combinations; 0: the default */
    int build_only; /* candidates of each device; 0: candidates also run */
    int check_only; /* candidates of each device that run at small sizes only */
    const char *programs; /* the folder for generated programs; NULL: none */
};

/* Exits for --help, and after a message for errors. */
extern const struct cli_argp cli_explore_argp; /* input: struct explore_args */
void cli_explore_parse(struct explore_args *args, int argc, char **argv);

/* explore_space.c: prints the sizes of the space, as tables or as JSON. */
int cli_explore_space(const struct lift_explore_options *o,
                      const struct explore_args *args);

/* explore_builds.c: builds candidates and prints their resources, as a table or as
 * JSON. Returns CLI_FAILED if a compiler rejects a candidate. */
int cli_explore_builds(const struct lift_explore_options *o,
                       const struct explore_args *args);

#endif

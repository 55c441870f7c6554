/* The options of 'lift explore'. */
#ifndef CLI_EXPLORE_EXPLORE_ARGS_H
#define CLI_EXPLORE_EXPLORE_ARGS_H

#include "base/job.h"
#include "cli/cli.h"
#include "explore/explore.h"

enum { CLI_EXPLORE_LIST = 64 };

struct explore_args {
    struct lift_arena *arena; /* of what the options point to */
    const char *file, *precision;
    int64_t steps[LIFT_MAX_STEPS]; /* 0: as many as the program says */
    int step_count;
    const char *rules[CLI_EXPLORE_LIST];
    int rule_count;
    const char *devices[CLI_EXPLORE_LIST];
    const char *exprs[CLI_EXPLORE_LIST];
    const char *points[CLI_EXPLORE_LIST];
    struct lift_size_setting tunables[CLI_EXPLORE_LIST];
    /* Complete but for source, rules, argv, interrupted and report. */
    struct lift_explore_options o;
    struct lift_job job;  /* size 1: this process was started alone */
    double winners_every; /* seconds; 0: as job.c says */
    double rank_seconds;  /* without a sign of life, until a rank counts as dead */
    bool keep_ranks;      /* their databases, after the merge */
    bool json, force, quiet, verbose, print_space;
    int sample; /* with print_space: combinations that are drawn; 0: as many as usual */
    int build_only;       /* candidates of each device; 0: they are run, too */
    int check_only;       /* likewise, run at small sizes */
    const char *programs; /* the folder for programs around them; NULL: none */
};

/* Ends the process for --help and for mistakes, which it reports. */
extern const struct cli_argp cli_explore_argp; /* input: struct explore_args */
void cli_explore_parse(struct explore_args *args, int argc, char **argv);

/* explore_space.c: the sizes of the space, as tables or as JSON. */
int cli_explore_space(const struct lift_explore_options *o,
                      const struct explore_args *args);

/* explore_builds.c: candidates that are built, and what they take, likewise. CLI_FAILED
 * if one is refused by its compiler. */
int cli_explore_builds(const struct lift_explore_options *o,
                       const struct explore_args *args);

#endif

/* Several depths, numbers of steps of the time loop that a launch computes, explored in
 * one run with one budget: by successive halving. A depth that cannot get a useful part
 * of the budget is not begun. */
#ifndef CLI_EXPLORE_DEPTHS_H
#define CLI_EXPLORE_DEPTHS_H

#include "cli/explore/exploration.h"
#include "cli/explore/explore_args.h"

/* One depth, and what is known of it on each device. */
struct cli_depth {
    int64_t steps;
    struct lift_source source;
    struct cli_exploration last; /* of it, if 'explored' */
    bool explored;               /* at least once in this run */
    bool done;                   /* nothing is left to be tried, or nothing can be */
    char *why;                   /* it cannot be explored; NULL: it can */
    double needs; /* seconds that a session of use takes, about; 0: unknown */
    struct cli_depth_device {
        double estimate, gpts; /* 10^9 grid points a second, of each step; 0: unknown */
        int64_t tries;         /* of this run */
    } devices[CLI_EXPLORE_LIST];
    int device_count;
};

/* What a session of a depth may use; 0: no limit. */
struct cli_share {
    double seconds;
    int64_t tries;
};

/* depth_shares.c: how often 'depths' are halved until one is left, and one more. */
int cli_depth_rungs(int depths);
/* Seconds that a session needs to be worth its start, where the first kernel is verified
 * after 'start' seconds; 0 is unknown. */
double cli_depth_least(const struct cli_share *budget, double start);
/* Seconds of the first session of all. */
double cli_depth_first(const struct cli_share *budget);
/* Of so many rungs those for which there is time, one at least. */
int cli_depth_rungs_left(const struct cli_share *budget, const struct cli_share *used,
                         double least, int rungs);
/* What is to be used up when the first of so many rungs that are left is over. */
struct cli_share cli_depth_rung_end(const struct cli_share *budget,
                                    const struct cli_share *used, int rungs_left);
/* For one of 'left' depths of a rung that ends there, 'least' seconds if there are so
 * many. False: the time of the rung is over. */
bool cli_depth_share(const struct cli_share *budget, const struct cli_share *used,
                     const struct cli_share *end, int left, double least,
                     struct cli_share *out);
/* Puts the depths in order, the best first, by their speeds or by their estimates; those
 * without stay in their order, at the end. Where devices do not agree, it counts how
 * close a depth is to the best one on the device that likes it most. */
void cli_depths_rank(struct cli_depth *depths, int count, bool by_estimates);
/* The best of the device; -1: there is none. */
int cli_depths_best(const struct cli_depth *depths, int count, int device);

/* depths_print.c: a line for each depth; the same as JSON. */
void cli_depths_print(const struct cli_depth *depths, int count);
json_t *cli_depths_json(const struct cli_depth *depths, int count);

/* Explores the depths of 'args'. Returns the exit status. */
int cli_explore_depths(const struct explore_args *args,
                       const struct lift_explore_options *options);

#endif

/* Where kernels for one program meet: ours and those written by hand are compiled and
 * checked, and then wait for their turns. In a process of its own. */
#ifndef BENCH_HALL_H
#define BENCH_HALL_H

#include "contest.h"
#include "explore/trial/timing.h"

enum { HALL_MOST = 3 * REFERENCE_MOST + 1, HALL_WAYS = 4 };

struct contender {
    char name[REFERENCE_NAME + CONTEST_WAY];
    struct runner_module *module;
    struct runner_module own; /* of a reference that is compiled in several ways */
    bool plain;
    struct set *set;
    struct timing timing;
    bool good;
    double error, bound;
    double seconds[CONTEST_ROUNDS];
};

/* Buffers, fitted to one of the contenders that share them. */
struct set {
    struct runner_data data;
    const struct contender *fitted;
};

struct hall {
    struct contest *contest;
    struct contest_result *out;
    struct lift_device *device;
    struct lift_device *compilers[HALL_WAYS]; /* of the contest's ways; NULL: not here */
    const struct lift_runtime *rt;
    struct lift_clocks *clocks;
    struct contender contenders[HALL_MOST]; /* ours first */
    int count;
    struct set sets[HALL_MOST];
    struct lift_buffer *truths[EXPLORE_TRUTHS][EXPLORE_MAX_LEAVES];
    struct lift_error failure;
};

/* Opens the device and lets all contenders in; false, and the result says why, if there
 * is no device. To be closed in any case. */
bool hall_open(struct hall *h, struct contest *contest, struct contest_result *out);
void hall_close(struct hall *h);

/* A line of the result's notes, and forgetting a failure. */
void hall_note(struct hall *h, const char *name, const char *why);
void hall_forget(struct hall *h);

/* One sample, after a launch that does not count: another one was at work before. False
 * if the contender failed, and left. */
bool hall_sample(struct hall *h, struct contender *c, struct timing_sample *sample);

#endif

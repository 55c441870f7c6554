/* Recorded spaces: every point with what came of it, as a text file, so that search
 * techniques can be tried without a device. docs/howto-search.md has the format, and that
 * of simple tables, which have one expression, no names and no features. */
#ifndef LIFT_REPLAY_H
#define LIFT_REPLAY_H

#include "lift/search.h"
#include "lift/str.h"
#include <stdio.h>

struct lift_replay;

struct lift_replay_answer {
    struct lift_outcome outcome;
    double cost; /* seconds to compile, check and measure it; 0: unknown */
};

/* NULL and the reason, with file and line, if the file cannot be read. Ended by destroy
 * (NULL is legal). */
struct lift_replay *lift_replay_read(const char *path, struct lift_str *why);
void lift_replay_destroy(struct lift_replay *replay);

/* Always counted; its valid points are those of the file. */
const struct lift_joint *lift_replay_joint(const struct lift_replay *replay);
/* What the file says of a valid point. */
struct lift_replay_answer lift_replay_answer(const struct lift_replay *replay,
                                             const struct lift_choice *choice);
/* Seconds of the fastest point; infinite if all failed. */
double lift_replay_best(const struct lift_replay *replay);

/* Where a recording comes from. 'name' names an expression; 'answer' is false for a point
 * of which nothing is known, which is left out. */
struct lift_replay_source {
    const char *about; /* one line: program, sizes, device */
    const struct lift_joint *joint;
    const char *(*name)(void *user, int expr);
    bool (*answer)(void *user, const struct lift_choice *choice,
                   struct lift_replay_answer *answer);
    void *user;
};

/* Writes all points of the joint space that have an answer; returns their number, -1 if
 * the file could not be written. */
int64_t lift_replay_write(FILE *out, const struct lift_replay_source *source);

#endif

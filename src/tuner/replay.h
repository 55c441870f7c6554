/* Recorded spaces: every point with its result, as a text file, so that search techniques
 * can be compared without a device (bench/replay.h reads it).
 * docs/extend.md has the format. */
#ifndef TUNER_REPLAY_H
#define TUNER_REPLAY_H

#include "tuner/search.h"
#include <stdio.h>

struct lift_replay_answer {
    struct lift_outcome outcome;
    double cost;  /* seconds to compile, check and measure it; 0: unknown */
    double guess; /* lift_joint_guessed; the reader sets it, the writer asks the space */
};

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

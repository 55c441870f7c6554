/* Recorded spaces for comparing search techniques without a device. A text file has
 * every point with its result (bench/replay.h reads the file). docs/extend.md
 * describes the format. */
#ifndef TUNER_REPLAY_H
#define TUNER_REPLAY_H

#include "tuner/search.h"
#include <stdio.h>

struct lift_replay_answer {
    struct lift_outcome outcome;
    double cost;  /* seconds to compile, check and measure the kernel; 0: unknown */
    double guess; /* lift_joint_guessed; set by the reader, while the writer asks the
                     space */
};

/* The source of a recording. 'name' names an expression. 'answer' returns false for a
 * point without a known result, which the recording omits. */
struct lift_replay_source {
    const char *about; /* one line: program, sizes, device */
    const struct lift_joint *joint;
    const char *(*name)(void *user, int expr);
    bool (*answer)(void *user, const struct lift_choice *choice,
                   struct lift_replay_answer *answer);
    void *user;
};

/* Writes all points of the joint space that have a result. Returns their number, or
 * -1 if the file could not be written. */
int64_t lift_replay_write(FILE *out, const struct lift_replay_source *source);

#endif

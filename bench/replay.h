/* Reads recorded spaces (tuner/replay.h), and simple tables, which have one expression,
 * no names and no features. Files may be compressed by gzip. */
#ifndef BENCH_REPLAY_H
#define BENCH_REPLAY_H

#include "base/str.h"
#include "tuner/replay.h"

struct lift_replay;

/* NULL and the reason, with file and line, if the file cannot be read. Ended by destroy
 * (NULL is legal). */
struct lift_replay *lift_replay_read(const char *path, struct lift_str *why);
void lift_replay_destroy(struct lift_replay *replay);

/* A counted space; its valid points are those of the file. */
const struct lift_joint *lift_replay_joint(const struct lift_replay *replay);
/* The recorded result of a valid point. */
struct lift_replay_answer lift_replay_answer(const struct lift_replay *replay,
                                             const struct lift_choice *choice);
/* Seconds of the fastest point; infinite if all failed. */
double lift_replay_best(const struct lift_replay *replay);

#endif

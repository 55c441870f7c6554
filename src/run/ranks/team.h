/* Processes that work on one grid, each with a part of it: what they tell one another. A
 * process that is alone reads its own words. */
#ifndef RUN_TEAM_H
#define RUN_TEAM_H

#include "lift/plan.h"

enum { TEAM_WORD = 280 };

struct team {
    struct lift_communicator to; /* size 1: the process is alone */
    const char *name;            /* of the library that sends: "Open MPI v4.1.4" */
    bool device_memory;          /* messages may be in memory of GPUs of CUDA */
    struct team_word *words;     /* of the last meeting */
    bool over;  /* a process failed, or messages did: no meeting follows */
    int failed; /* the first process that failed; -1: none is known */
};

struct team team_of(struct lift_communicator to, const char *name);
void team_fini(struct team *team);

/* Sends and receives all messages, in the thread that may. False, and the error. */
bool team_exchange(const struct team *team, const struct lift_message *messages,
                   int count, struct lift_error *error);

/* All processes come to the same meetings in the same order. Each says how things are
 * with it, 0 is good, and gives the others some bytes, TEAM_WORD at most. False for all
 * if one of them is not good; an error is described to those that are. False, too, if
 * messages fail, or after such a meeting. */
bool team_meet(struct team *team, int end, const void *mine, size_t bytes,
               struct lift_error *error);
/* Of the last meeting: what a process said, and its bytes. */
int team_end(const struct team *team, int rank);
const void *team_word(const struct team *team, int rank);

#endif

/* Messages between processes that each have a part of one grid. A single process receives
 * its own messages. */
#ifndef RUN_TEAM_H
#define RUN_TEAM_H

#include "lift/plan.h"

enum { TEAM_WORD = 280 };

struct team {
    struct lift_communicator to; /* size 1: a single process */
    const char *name;            /* of the message library: "Open MPI v4.1.4" */
    bool device_memory;          /* messages may be in memory of CUDA GPUs */
    struct team_word *words;     /* of the last barrier */
    bool over;                   /* a process or a message failed: no further barrier */
    int failed;                  /* the first process that failed; -1: unknown */
};

struct team team_of(struct lift_communicator to, const char *name);
void team_fini(struct team *team);

/* Sends and receives all messages, in the only thread that may. Returns false with the
 * error. */
bool team_exchange(const struct team *team, const struct lift_message *messages,
                   int count, struct lift_error *error);

/* A barrier; all processes reach equal barriers in equal order. Each process gives its
 * status 'end', 0 for success, and at most TEAM_WORD bytes for the others. If a status is
 * not 0, all processes return false, and successful processes get an error. Also returns
 * false if messages fail, and after any failed barrier. */
bool team_meet(struct team *team, int end, const void *mine, size_t bytes,
               struct lift_error *error);
/* Return the status and the bytes of a process in the last barrier. */
int team_end(const struct team *team, int rank);
const void *team_word(const struct team *team, int rank);

#endif

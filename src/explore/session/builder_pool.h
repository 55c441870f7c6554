/* The compile workers of a session. They serve all device sessions. */
#ifndef EXPLORE_SESSION_BUILDER_POOL_H
#define EXPLORE_SESSION_BUILDER_POOL_H

#include "explore/trial/binary_cache.h"
#include "tuner/worker.h"
#include <poll.h>

struct session;
struct device_session;
struct attempt;

struct builder {
    struct lift_worker *worker;
    const struct device_session *last;     /* of the last order; NULL: none yet */
    struct device_session *device_session; /* of the order; NULL: none */
    struct attempt *attempt;               /* being built */
    double began; /* start of the current order, by lift_seconds */
    double limit; /* seconds allowed for the order */
};

struct pool {
    struct builder *builders;
    int count;
    int turn;       /* device session considered first */
    unsigned parts; /* binaries to build for each attempt: enum trial_parts */
    struct cache cache;
};

/* Creates a builder for each of the session's jobs; builders inherit its benches. */
void pool_create(struct session *s, unsigned parts);
void pool_fini(struct pool *pool);
/* Gives trials to idle builders. */
void pool_start(struct session *s);
/* Marks the trials of a device session as ready if all their binaries exist. */
void pool_promote(struct device_session *l);
/* Processes the builders' answers. */
void pool_step(struct session *s);
/* Waits a moment for builders of a queue's attempts; no runner works. Ends the attempts
 * of a lost device. */
void pool_turn(struct device_session *l);
/* Builds all attempts: each is READY or has ended afterwards. */
void pool_build(struct device_session *l);
/* Seconds allowed for one compilation: a share of a short session, at least several times
 * the naive kernel's time. Without limit until the naive kernel is compiled. */
double pool_build_seconds(const struct device_session *l);
bool pool_is_idle(const struct pool *pool);
/* Pauses the current compilations; they resume without loss. */
void pool_pause(struct pool *pool);
void pool_resume(struct pool *pool);
/* Ends the current compilations. */
void pool_stop(struct pool *pool);

#endif

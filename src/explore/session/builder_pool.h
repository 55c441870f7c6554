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
    const struct device_session *last;     /* whose order it had last; NULL: none yet */
    struct device_session *device_session; /* of the current order; NULL: none */
    struct attempt *attempt;               /* that it builds */
    double began;                          /* with the current order, by lift_seconds */
    double limit;                          /* seconds that the order may take */
};

struct pool {
    struct builder *builders;
    int count;
    int turn;       /* which device session is looked at first */
    unsigned parts; /* the binaries of each attempt: enum trial_parts */
    struct cache cache;
};

/* One for each of the session's jobs; they have its benches. */
void pool_create(struct session *s, unsigned parts);
void pool_fini(struct pool *pool);
/* Gives trials to idle builders. */
void pool_start(struct session *s);
/* The trials of a device session whose binaries are all there become ready. */
void pool_promote(struct device_session *l);
/* Takes what they have answered. */
void pool_step(struct session *s);
/* While nothing else runs: waits a moment for builders of the attempts of a queue. Those
 * of a device that is given up end. */
void pool_turn(struct device_session *l);
/* Builds all of them: each is READY or has ended. */
void pool_build(struct device_session *l);
/* Seconds that one candidate may be compiled: a part of a short session, but several
 * times as long as the naive kernel took, and without limit until that is known. */
double pool_build_seconds(const struct device_session *l);
bool pool_is_idle(const struct pool *pool);
/* Stops the current compilations until they are resumed: nothing is lost. */
void pool_pause(struct pool *pool);
void pool_resume(struct pool *pool);
/* Ends the current compilations. */
void pool_stop(struct pool *pool);

#endif

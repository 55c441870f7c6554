/* The compile workers of a session. They serve all lanes. */
#ifndef EXPLORE_POOL_H
#define EXPLORE_POOL_H

#include "explore/cache.h"
#include "lift/worker.h"
#include <poll.h>

struct session;
struct lane;
struct attempt;

struct builder {
    struct lift_worker *worker;
    const struct lane *last; /* whose order it had last; NULL: none yet */
    struct lane *lane;       /* whose order it has in hand; NULL: none */
    struct attempt *attempt; /* NULL: it compiles the kernel of the health check */
    double began;            /* with the order in hand, by session_now */
};

struct pool {
    struct builder *builders;
    int count;
    int turn; /* which lane is looked at first */
    struct cache cache;
};

void pool_create(struct session *s, int count);
void pool_fini(struct pool *pool);
/* Before a builder whose last order was of lane 'last' (NULL: none) gets one of lane 'l':
 * another process, if the two compilers may not share one. */
void pool_turn_to(struct lift_worker *worker, const struct lane *last,
                  const struct lane *l);
/* Gives what is to be compiled to builders that have nothing to do. */
void pool_start(struct session *s);
/* The tries of a lane whose binaries are all there become ready. */
void pool_promote(struct lane *l);
/* Takes what they have answered. */
void pool_step(struct session *s);
bool pool_is_idle(const struct pool *pool);
/* Ends what is in hand. */
void pool_stop(struct pool *pool);

#endif

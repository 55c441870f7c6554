#include "run/devices/watch.h"
#include "base/seconds.h"
#include "run/devices/overlap_messages.h"
#include <math.h>
#include <time.h>

static const double grace = 5; /* seconds, for threads to end after a request */

void watch_step(struct part *p, int64_t launched)
{
    pthread_mutex_lock(&p->all->mutex);
    p->launched = launched;
    p->since = lift_seconds();
    pthread_mutex_unlock(&p->all->mutex);
}

void watch_wait(struct part *p)
{
    p->waits = true;
    pthread_cond_wait(&p->all->met, &p->all->mutex);
    p->waits = false;
    p->since = lift_seconds();
}

void watch_end(struct part *p, bool good)
{
    pthread_mutex_lock(&p->all->mutex);
    p->all->failed |= !good;
    p->done = true;
    pthread_cond_broadcast(&p->all->met);
    pthread_mutex_unlock(&p->all->mutex);
}

/* The caller holds the mutex. */
static void sleep_until(struct parts *parts, double seconds)
{
    struct timespec at;
    double whole;
    double part = modf(seconds > 0 ? seconds : 0, &whole);

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)whole;
    at.tv_nsec += (long)(part * 1e9);
    if (at.tv_nsec >= 1000000000L) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&parts->met, &parts->mutex, &at);
}

/* Returns the part whose current step began first; NULL: no part computes a step. */
static struct part *slowest(struct parts *parts, int started)
{
    struct part *found = NULL;

    for (int i = 0; i < started; i++) {
        struct part *p = &parts->own[i];

        if (!p->done && !p->waits && (!found || p->since < found->since))
            found = p;
    }
    return found;
}

/* Returns true if all parts except 'but' (may be NULL) are done. */
static bool all_done(const struct parts *parts, int started, const struct part *but)
{
    for (int i = 0; i < started; i++)
        if (!parts->own[i].done && &parts->own[i] != but)
            return false;
    return true;
}

/* Ends the threads that wait for others, and gives working threads a grace period. */
static void give_up(struct parts *parts, int started, const struct part *late)
{
    double end = lift_seconds() + grace;

    parts->failed = parts->stop = parts->hung = true;
    pthread_cond_broadcast(&parts->met);
    while (!all_done(parts, started, late) && lift_seconds() < end)
        sleep_until(parts, end - lift_seconds());
}

static void fail_hung(const struct parts *parts, const struct part *p,
                      struct lift_error *error)
{
    long long step = parts->step + p->launched * parts->at_once;

    lift_fail(error, LIFT_ERROR_RUN,
              "on '%s': no answer for %g s, in the launch after step %lld or its "
              "exchange (--exchange-timeout)",
              p->device, parts->patience, step);
}

bool watch_all(struct parts *parts, int started, struct lift_error *error)
{
    struct part *late = NULL;

    pthread_mutex_lock(&parts->mutex);
    while (!late && !all_done(parts, started, NULL)) {
        struct part *p;
        double left;

        overlap_messages_serve(parts->own);
        p = slowest(parts, started);
        left = p ? p->since + parts->patience - lift_seconds() : parts->patience;

        if (p && left <= 0)
            late = p;
        else if (!all_done(parts, started, NULL))
            sleep_until(parts, left);
    }
    if (late) {
        fail_hung(parts, late, error);
        give_up(parts, started, late);
    }
    for (int i = 0; i < started; i++)
        if (!parts->own[i].done)
            pthread_detach(parts->own[i].thread);
    pthread_mutex_unlock(&parts->mutex);
    for (int i = 0; !late && i < started; i++)
        pthread_join(parts->own[i].thread, NULL);
    return !late;
}

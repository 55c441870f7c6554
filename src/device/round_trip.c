/* Measures the round trip of a cache line between two cores. A hypervisor may move
 * virtual cores to other caches and memory links at run time; only this time reveals such
 * moves. */
#include "base/seconds.h"
#include "device/clocks_t.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The result is the shortest burst, since interruptions do not affect all bursts. */
enum { BURSTS = 12, TRIPS = 32, SPINS = 256, APART = 256 };

static const double patience = 20e-3; /* seconds; other processes may use the cores */

struct rally {
    _Alignas(APART) atomic_int ball;
    _Alignas(APART) sem_t ready;
    const int *cores;
    double deadline, best;
};

static void go_to(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Reads the clock rarely, since a clock read takes as long as a round trip. */
static bool await(struct rally *r, int number)
{
    for (int i = 1; atomic_load_explicit(&r->ball, memory_order_acquire) != number; i++)
        if (i % SPINS == 0 && lift_seconds() > r->deadline)
            return false;
    return true;
}

static bool play(struct rally *r, int number)
{
    atomic_store_explicit(&r->ball, number, memory_order_release);
    return await(r, number + 1);
}

static void *give_back(void *arg)
{
    struct rally *r = arg;
    int number = 1;

    go_to(r->cores[1]);
    sem_post(&r->ready);
    if (!await(r, number))
        return NULL;
    while (number < 2 * BURSTS * TRIPS - 1 && play(r, number + 1))
        number += 2;
    atomic_store_explicit(&r->ball, number + 1, memory_order_release);
    return NULL;
}

static void *serve(void *arg)
{
    struct rally *r = arg;
    int number = 1;

    go_to(r->cores[0]);
    while (sem_wait(&r->ready) != 0)
        ;
    for (int b = 0; b < BURSTS; b++) {
        double start = lift_seconds(), seconds;

        for (int i = 0; i < TRIPS; i++, number += 2)
            if (!play(r, number))
                return NULL;
        seconds = (lift_seconds() - start) / TRIPS;
        if (r->best == 0 || seconds < r->best)
            r->best = seconds;
    }
    return NULL;
}

/* Uses separate threads, so that the caller's binding stays unchanged. */
double clocks_round_trip(const int cores[2])
{
    struct rally r = {.cores = cores, .deadline = lift_seconds() + patience};
    pthread_t first, second;

    if (sem_init(&r.ready, 0, 0) != 0)
        return 0;
    if (pthread_create(&second, NULL, give_back, &r) == 0) {
        if (pthread_create(&first, NULL, serve, &r) == 0)
            pthread_join(first, NULL);
        pthread_join(second, NULL);
    }
    sem_destroy(&r.ready);
    return r.best;
}

#include "base/bug.h"
#include "search.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t run_count(const struct search_bench *b)
{
    return (size_t)b->technique_count * (size_t)b->space_count * (size_t)b->seeds;
}

/* Of this process: others do not count. */
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A space with fewer points than tries ends before: what was found stays. */
static void replay(const struct lift_replay *space,
                   const struct lift_technique *technique, uint64_t seed,
                   struct search_result *result)
{
    double best = 0, optimum = lift_replay_best(space), start = cpu_seconds();
    void *state = calloc(1, technique->state_size);
    struct lift_rng rng;
    bool more = true;

    LIFT_ASSERT(state);
    lift_rng_seed(&rng, seed);
    technique->init(state, lift_replay_joint(space), &rng, SEARCH_TRIES);
    for (int i = 0; i < SEARCH_TRIES; i++) {
        struct lift_choice choice;

        if (more && (more = technique->propose(state, &choice))) {
            struct lift_outcome outcome = lift_replay_answer(space, &choice).outcome;

            technique->observe(state, &choice, outcome);
            if (outcome.ok && optimum / outcome.seconds > best)
                best = optimum / outcome.seconds;
        }
        result->found[i] = best;
    }
    technique->fini(state);
    free(state);
    result->seconds = cpu_seconds() - start;
}

static void work(struct search_bench *b, size_t from, size_t step)
{
    for (size_t i = from; i < run_count(b); i += step) {
        size_t place = i / (size_t)b->seeds;

        replay(b->spaces[place % (size_t)b->space_count].replay,
               b->techniques[place / (size_t)b->space_count],
               b->first + i % (size_t)b->seeds, &b->results[i]);
    }
}

void search_run(struct search_bench *b, int jobs)
{
    size_t size = run_count(b) * sizeof *b->results;
    int status;

    b->results =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    LIFT_ASSERT(b->results != MAP_FAILED);
    for (int i = 0; i < jobs; i++) {
        pid_t pid = fork();

        LIFT_ASSERT(pid >= 0);
        if (pid == 0) {
            work(b, (size_t)i, (size_t)jobs);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "search: a process ended early\n");
            exit(1);
        }
}

void search_free(struct search_bench *b)
{
    munmap(b->results, run_count(b) * sizeof *b->results);
    b->results = NULL;
}

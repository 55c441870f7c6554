#include "run/ranks/ranks.h"
#include "base/memory.h"
#include "base/seconds.h"
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* The largest message to MPI, which counts bytes by an int. */
static const size_t most_bytes = (size_t)1 << 30;

/* ---- waiting */

/* Long messages progress only during MPI calls, so a wait first polls and then sleeps. */
static void rest(double waited)
{
    static const struct timespec nap = {0, 100000};

    if (waited < 1)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

/* Waits for a request. Returns false with the reason, or at the time limit with an empty
 * 'why'. */
static bool wait_for(struct ranks *r, union mpi_handle *request, double until,
                     struct lift_str *why)
{
    double begin = lift_seconds(), now;
    bool done = false;

    while (mpi_test(r->mpi, request, &done, why)) {
        if (done)
            return true;
        now = lift_seconds();
        if (now > until)
            break;
        rest(now - begin);
    }
    r->lost = true;
    return false;
}

/* ---- messages */

static int pieces_of(const struct lift_message *m)
{
    return (int)((m->bytes + most_bytes - 1) / most_bytes);
}

static bool start(struct ranks *r, const struct lift_message *m,
                  union mpi_handle *request, struct lift_str *why)
{
    for (int i = 0; i < pieces_of(m); i++) {
        struct lift_message piece = *m;
        size_t at = (size_t)i * most_bytes;

        piece.data = (char *)m->data + at;
        piece.bytes = m->bytes - at < most_bytes ? m->bytes - at : most_bytes;
        if (!mpi_move(r->mpi, &piece, &request[i], why))
            return false;
    }
    return true;
}

static bool finish(struct ranks *r, const struct lift_message *m,
                   union mpi_handle *request, double until, struct lift_str *why)
{
    for (int i = 0; i < pieces_of(m); i++)
        if (!wait_for(r, &request[i], until, why)) {
            if (why->len == 0)
                lift_str_addf(why,
                              "a message %s rank %d was not transferred within %g "
                              "seconds: the rank has died, or hangs",
                              m->send ? "to" : "from", m->peer, r->limit);
            return false;
        }
    return true;
}

/* Splits messages of any length into pieces for MPI. */
static bool swap(void *user, const struct lift_message *messages, int count,
                 struct lift_error *error)
{
    struct ranks *r = user;
    LIFT_SCOPED(lift_str) why = {0};
    double until = lift_seconds() + r->limit;
    union mpi_handle *requests;
    int all = 0, at = 0;
    bool good = true;

    for (int i = 0; i < count; i++)
        all += pieces_of(&messages[i]);
    requests = lift_alloc((size_t)all + 1, sizeof *requests);
    for (int i = 0; good && i < count; at += pieces_of(&messages[i++]))
        good = start(r, &messages[i], requests + at, &why);
    at = 0;
    for (int i = 0; good && i < count; at += pieces_of(&messages[i++]))
        good = finish(r, &messages[i], requests + at, until, &why);
    r->lost |= !good;
    free(requests);
    return good || lift_fail(error, LIFT_ERROR_RUN, "%s", lift_str_get(&why));
}

/* ---- the job */

struct ranks *ranks_create(const struct lift_job *job, double limit, struct team *team,
                           struct lift_str *why)
{
    struct ranks *r = lift_alloc(1, sizeof *r);

    r->limit = limit;
    r->mpi = mpi_start(why);
    if (!r->mpi) {
        free(r);
        return NULL;
    }
    team_fini(team);
    *team =
        team_of((struct lift_communicator){mpi_rank(r->mpi), mpi_size(r->mpi), r, swap},
                mpi_name(r->mpi));
    team->device_memory = mpi_takes_device_memory(r->mpi);
    if (team->to.size == job->size && team->to.rank == job->rank)
        return r;
    lift_str_addf(why,
                  "this is rank %d of %d by its launcher, and rank %d of %d by '%s': the "
                  "two do not match (mpirun of that library, or srun with its --mpi=pmix "
                  "or --mpi=pmi2, start ranks; LIFT_MPI names the library)",
                  job->rank, job->size, team->to.rank, team->to.size, team->name);
    ranks_destroy(r);
    return NULL;
}

void ranks_destroy(struct ranks *r)
{
    if (!r)
        return;
    if (r->lost)
        mpi_abort(r->mpi, 1);
    mpi_end(r->mpi);
    free(r);
}

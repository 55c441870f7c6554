/* The copy bandwidth of a device in GB/s, with which kernels are compared. */
#include "base/seconds.h"
#include "explore/session/session.h"
#include "explore/trial/slab.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- the lock for measurements */

/* Simultaneous measurements by two processes would each show half the bandwidth, so a
 * lock on a common folder serialises them. Returns NO_TURN without a lock, and
 * OTHERS_TURN if another process holds it. */
enum { NO_TURN = -1, OTHERS_TURN = -2 };

static int try_turn(void)
{
    const char *folder = getenv("TMPDIR");
    int fd =
        open(folder && *folder ? folder : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd < 0 ? NO_TURN : fd;
    close(fd);
    return OTHERS_TURN;
}

/* Most seconds of a measurement. On a busy processor a measurement can take a multiple of
 * its usual time, one to two seconds, which the trials of a short session lack. */
static double measurement_limit(const struct device_session *l)
{
    const double most = 60, least = 4, share = 0.25;
    double seconds = l->session->options->seconds;

    if (!l->device.info.is_cpu || seconds <= 0)
        return most;
    return fmin(most, fmax(least, share * seconds));
}

/* Waits for the lock, for a limited time. */
static int take_turn(struct session *s, double seconds)
{
    enum { PAUSE_US = 100000 };
    double until = lift_seconds() + seconds;
    int turn = try_turn();

    while (turn == OTHERS_TURN && lift_seconds() < until &&
           !(s->options->interrupted && *s->options->interrupted)) {
        session_report(s, "waiting for the measurement of the copy bandwidth");
        usleep(PAUSE_US);
        turn = try_turn();
    }
    return turn;
}

/* Unlocks explicitly: processes forked since then also hold the lock's file. */
static void end_turn(int turn)
{
    if (turn < 0)
        return;
    flock(turn, LOCK_UN);
    close(turn);
}

/* ---- overlapped with rewriting */

/* The value in a database that may not exist yet; 0: unknown. Also sets that of the
 * last-level cache. */
static double bandwidth_in(struct device_session *l, const char *path)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_db *db =
        access(path, R_OK) == 0 ? lift_db_open(path, LIFT_DB_READ, &error) : NULL;
    double gbs = 0;
    int64_t bytes;

    if (db && lift_db_get_copy_bandwidth(db, l->result->device, &gbs) && gbs > 0)
        lift_db_get_cache_bandwidth(db, l->result->device, &bytes, &l->device.cache_gbs);
    lift_db_close(db);
    return gbs;
}

/* The value in any database of a job: ranks begin simultaneously, so that one may have
 * measured already. */
static double bandwidth_of_job(struct device_session *l)
{
    const struct lift_explore_share *share = &l->session->options->share;
    double gbs = share->ranks > 0 ? bandwidth_in(l, share->base) : 0;

    for (int i = 0; i < share->ranks && !(gbs > 0); i++) {
        LIFT_SCOPED(lift_str) path = {0};

        lift_explore_rank_db(share->base, i, &path);
        if (i != share->rank)
            gbs = bandwidth_in(l, lift_str_get(&path));
    }
    return gbs;
}

/* Measures the first device with an unknown copy bandwidth; other devices wait until the
 * value is found. Does not measure early if a device is a processor, which rewriting
 * keeps busy. */
bool device_session_begin_bandwidth(struct device_session *l)
{
    l->bandwidth = (struct early_bandwidth){.turn = -1};
    if (session_processors(l->session) || l->device.info.builds_only ||
        bandwidth_in(l, l->session->options->db) > 0 || bandwidth_of_job(l) > 0)
        return true;
    if (!l->session->bandwidth_later)
        l->bandwidth.turn = try_turn();
    if (l->bandwidth.turn >= 0)
        l->bandwidth.probe = lift_explore_device_begin(l->result->name, true);
    l->session->bandwidth_later = true;
    return true;
}

void device_session_forget_bandwidth(struct device_session *l)
{
    if (l->bandwidth.probe) {
        lift_explore_device_drop(l->bandwidth.probe);
        end_turn(l->bandwidth.turn);
    }
    l->bandwidth = (struct early_bandwidth){.turn = -1};
}

/* ---- in the session */

/* True if the problem stays in a processor's last-level cache, whose copy bandwidth is
 * not known. */
static bool lacks_cache(const struct device_session *l)
{
    int64_t most = lift_device_cache_bytes(&l->device.info);

    return !(l->device.cache_gbs > 0) && !l->device.info.builds_only && most > 0 &&
           l->session->problem->bytes <= most;
}

/* The copy bandwidth that bounds the problem. */
static double *ceiling(struct device_session *l)
{
    return l->result->progress.in_cache ? &l->device.cache_gbs : &l->device.copy_gbs;
}

/* Measures for at most 'seconds'. The bandwidth keeps its value (0: unknown) if this time
 * does not suffice: a later session measures it. */
static bool measure(struct device_session *l, double seconds, double *gbs)
{
    struct lift_explore_device measured = {.copy_gbs = 0};
    struct lift_explore_probe *probe = l->bandwidth.probe;
    LIFT_SCOPED(lift_str) why = {0};
    bool good = true;

    session_report(l->session, "measuring the copy bandwidth");
    if (!probe)
        probe = lift_explore_device_begin(l->result->name, true);
    if (lift_explore_device_await(probe, seconds))
        good = lift_explore_device_end(probe, &measured, &why);
    else
        lift_explore_device_drop(probe);
    if (l->bandwidth.probe)
        end_turn(l->bandwidth.turn);
    l->bandwidth.probe = NULL;
    *gbs = measured.copy_gbs > 0 ? measured.copy_gbs : *gbs;
    if (!good)
        session_fail(l->session, "%s", lift_str_get(&why));
    l->device.cache_gbs = measured.cache_gbs;
    lift_explore_device_fini(&measured);
    return good;
}

static bool store(struct device_session *l, double gbs)
{
    struct session *s = l->session;

    return ((!(gbs > 0) || lift_db_put_copy_bandwidth(s->db, l->result->device, gbs)) &&
            (!(l->device.cache_gbs > 0) ||
             lift_db_put_cache_bandwidth(s->db, l->result->device,
                                         lift_device_cache_bytes(&l->device.info),
                                         l->device.cache_gbs))) ||
           session_db_fail(s);
}

/* Reads both bandwidths from the session's database; 0: unknown. */
static bool read_stored(struct device_session *l, double *gbs)
{
    struct session *s = l->session;
    int64_t bytes;

    return (lift_db_get_copy_bandwidth(s->db, l->result->device, gbs) &&
            lift_db_get_cache_bandwidth(s->db, l->result->device, &bytes,
                                        &l->device.cache_gbs)) ||
           session_db_fail(s);
}

/* Finds the value: another process measured while this one waited for the lock, or this
 * process measures. The value stays unknown if another process still measures. */
static bool find(struct device_session *l, double *gbs)
{
    struct session *s = l->session;
    double limit = measurement_limit(l), until = lift_seconds() + limit;
    int turn = l->bandwidth.probe ? NO_TURN : take_turn(s, limit / 2);
    bool good = read_stored(l, gbs);

    if (good && turn != OTHERS_TURN && (!(*gbs > 0) || lacks_cache(l))) {
        if (!(*gbs > 0) && !l->bandwidth.probe)
            *gbs = bandwidth_of_job(l);
        good =
            ((*gbs > 0 && !lacks_cache(l)) || measure(l, until - lift_seconds(), gbs)) &&
            store(l, *gbs);
    }
    end_turn(turn);
    return good;
}

/* The copy bandwidth is measured once for a device; the time limit excludes the
 * measurement. */
bool device_session_find_bandwidth(struct device_session *l)
{
    struct session *s = l->session;
    double gbs = 0, start = lift_seconds();
    bool good = true;

    if (!lift_db_put_device(s->db, &l->device.info))
        return session_db_fail(s);
    if (!read_stored(l, &gbs))
        return false;
    if (!(gbs > 0) && !l->bandwidth.probe) {
        gbs = bandwidth_of_job(l);
        good = store(l, gbs);
    }
    if (good && (!(gbs > 0) || lacks_cache(l))) {
        good = find(l, &gbs);
        s->uncounted += lift_seconds() - start;
    }
    device_session_forget_bandwidth(l);
    l->device.copy_gbs = l->result->copy_gbs = gbs;
    return good;
}

/* ---- measured again */

/* Most seconds at the end of a session: a short session has little time left. */
static double limit_again(const struct device_session *l)
{
    const double least = 2;
    const struct session *s = l->session;
    double limit = measurement_limit(l);

    return s->options->seconds > 0 && l->device.info.is_cpu
               ? fmin(limit, fmax(least, session_deadline(s) - lift_seconds()))
               : limit;
}

/* Other work may have disturbed the measurement. If the data fit a cache, kernels may be
 * faster than copies. */
static bool is_doubtful(const struct device_session *l)
{
    const struct session *s = l->session;

    return l->result->progress.best_copy_share > 1 && !l->result->lost &&
           s->problem->bytes > explore_slab_bytes(&l->device.info) &&
           !(s->options->interrupted && *s->options->interrupted > 1);
}

static bool set_bandwidth(struct device_session *l,
                          const struct lift_explore_device *again)
{
    struct lift_explore_progress *p = &l->result->progress;
    double before = *ceiling(l);

    l->device.copy_gbs = fmax(l->device.copy_gbs, again->copy_gbs);
    l->device.cache_gbs = fmax(l->device.cache_gbs, again->cache_gbs);
    if (!(*ceiling(l) > before))
        return true;
    l->result->copy_gbs_before = before;
    l->result->copy_gbs = *ceiling(l);
    p->best_copy_share *= before / *ceiling(l);
    return store(l, l->device.copy_gbs);
}

bool device_session_doubt_bandwidth(struct device_session *l)
{
    struct session *s = l->session;
    struct lift_explore_device again = {.copy_gbs = 0};
    struct lift_explore_probe *probe;
    LIFT_SCOPED(lift_str) why = {0}, text = {0};
    double limit = limit_again(l), until = lift_seconds() + limit;
    bool good = true;
    int turn;

    if (!is_doubtful(l))
        return true;
    turn = take_turn(s, limit / 2);
    session_report(s, "measuring the copy bandwidth again");
    lift_str_addf(&text, "a kernel reached %.0f %% of the copy bandwidth, %.4g GB/s: ",
                  100 * l->result->progress.best_copy_share, *ceiling(l));
    probe = lift_explore_device_begin(l->result->name, true);
    if (!lift_explore_device_await(probe, until - lift_seconds())) {
        lift_str_add(&text, "a new measurement took too long");
        lift_explore_device_drop(probe);
    } else if (lift_explore_device_end(probe, &again, &why))
        lift_str_addf(&text, "a new measurement gives %.4g GB/s",
                      l->result->progress.in_cache ? again.cache_gbs : again.copy_gbs);
    else
        lift_str_addf(&text, "it could not be measured again: %s", lift_str_get(&why));
    end_turn(turn);
    device_session_event(l, "copy_bandwidth", lift_str_get(&text));
    good = set_bandwidth(l, &again);
    lift_explore_device_fini(&again);
    return good;
}

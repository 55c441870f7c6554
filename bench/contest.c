#include "base/bug.h"
#include "base/stats.h"
#include "hall.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 3, COPIES = 4 };

/* Arrays of the driver's copy: far larger than caches, but not all of the memory. */
static const int64_t copied_bytes = 1024 * 1024 * 1024, copied_share = 64;

/* The driver's copy. */
struct copy {
    struct hall *hall;
    struct lift_buffer *from, *to;
    size_t bytes; /* 0: it has none */
    double seconds[CONTEST_ROUNDS];
};

static bool sample(struct hall *h, struct contender *c, double *seconds)
{
    struct timing_sample s;
    bool good = hall_sample(h, c, &s);

    if (good)
        *seconds = s.seconds;
    return good;
}

static void note_time(struct hall *h, const char *name, double seconds)
{
    char text[CONTEST_TEXT];

    snprintf(text, sizeof text, "%.4g ms, %.4g GPts/s", 1e3 * seconds,
             1e-9 * (double)h->contest->bench.problem->points / seconds);
    hall_note(h, name, text);
}

/* The fastest reference of a few samples each; NULL if there is none. */
static struct contender *find_rival(struct hall *h)
{
    struct contender *best = NULL;
    double least = HUGE_VAL;

    for (int i = 1; i < h->count; i++) {
        struct contender *c = &h->contenders[i];
        double median;

        for (int k = 0; c->good && k < TRIALS; k++)
            sample(h, c, &c->seconds[k]);
        median = c->good ? lift_median(c->seconds, TRIALS) : HUGE_VAL;
        if (c->good && h->contest->all)
            note_time(h, c->name, median);
        if (median < least) {
            least = median;
            best = c;
        }
    }
    return best;
}

static void open_copy(struct copy *c)
{
    struct hall *h = c->hall;
    const struct lift_device_info *info = lift_device_info(h->device);
    int64_t bytes = copied_bytes;

    if (!h->rt->copy)
        return;
    if (info->global_bytes > 0 && bytes > info->global_bytes / copied_share)
        bytes = info->global_bytes / copied_share;
    c->from = h->rt->alloc(h->device, (size_t)bytes, &h->failure);
    c->to = h->rt->alloc(h->device, (size_t)bytes, &h->failure);
    if (c->from && c->to)
        c->bytes = (size_t)bytes;
    else
        hall_note(h, "the driver's copy", lift_str_get(&h->failure.text));
}

/* Negative on failure. */
static double time_copies(const struct copy *c, int count)
{
    struct hall *h = c->hall;
    double seconds;

    for (int i = 0; i < count; i++)
        if (!h->rt->copy(h->device, c->to, c->from, c->bytes, &h->failure))
            return -1;
    return h->rt->finish(h->device, &seconds, &h->failure) ? seconds / count : -1;
}

static bool sample_copy(struct copy *c, double *seconds)
{
    if (c->bytes == 0)
        return true;
    *seconds = time_copies(c, 1) < 0 ? -1 : time_copies(c, COPIES);
    if (*seconds > 0)
        return true;
    hall_note(c->hall, "the driver's copy", lift_str_get(&c->hall->failure.text));
    c->bytes = 0;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct figure contest_figure(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (struct figure){lift_median(values, count), values[(count - 1) / 4],
                           values[count - 1 - (count - 1) / 4]};
}

static void summarise(struct hall *h, const struct copy *c, struct contender *rival)
{
    struct contender *ours = &h->contenders[0];
    int rounds = h->contest->rounds;
    double ratio[CONTEST_ROUNDS];
    bool two = rival && rival->good;

    for (int r = 0; two && r < rounds; r++)
        ratio[r] = rival->seconds[r] / ours->seconds[r];
    if (c->bytes > 0)
        h->out->copy_driver = 2e-9 * (double)c->bytes / lift_median(c->seconds, rounds);
    h->out->seconds = contest_figure(ours->seconds, rounds);
    h->out->error = ours->error;
    h->out->bound = ours->bound;
    if (!two)
        return;
    snprintf(h->out->reference, sizeof h->out->reference, "%s", rival->name);
    h->out->reference_seconds = contest_figure(rival->seconds, rounds);
    h->out->ratio = contest_figure(ratio, rounds);
}

static void run_rounds(struct hall *h)
{
    struct contender *ours = &h->contenders[0], *rival = find_rival(h);
    struct copy *c = calloc(1, sizeof *c);

    LIFT_ASSERT(c);
    c->hall = h;
    open_copy(c);
    for (int r = 0; r < h->contest->rounds && ours->good; r++) {
        sample_copy(c, &c->seconds[r]);
        sample(h, ours, &ours->seconds[r]);
        if (rival && rival->good)
            sample(h, rival, &rival->seconds[r]);
    }
    if (ours->good)
        summarise(h, c, rival);
    h->rt->release(h->device, c->from);
    h->rt->release(h->device, c->to);
    free(c);
}

static void find_resources(struct hall *h)
{
    const struct runner_module *m = h->contenders[0].module;

    h->out->resources = (struct lift_resources)LIFT_RESOURCES_UNKNOWN;
    for (int k = 0; m->binary && k < m->module->kernel_count; k++) {
        struct lift_resources r =
            h->rt->resources(h->device, m->binary, m->module->kernels[k].name);

        if (r.registers >= h->out->resources.registers)
            h->out->resources = r;
    }
}

/* ---- all of it */

void contest_hold(struct contest *contest, struct contest_result *out)
{
    struct hall *h = malloc(sizeof *h);

    LIFT_ASSERT(h);
    if (hall_open(h, contest, out)) {
        out->copy_kernel = lift_device_copy_bandwidth(h->device, &h->failure);
        hall_forget(h);
        find_resources(h);
        if (h->contenders[0].good)
            run_rounds(h);
    }
    hall_close(h);
    free(h);
}

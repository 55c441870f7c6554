#include "run/depth.h"
#include "base/memory.h"
#include "run/chosen.h"
#include "tuner/db_query.h"
#include <math.h>
#include <string.h>

/* ---- programs with several steps a launch */

bool depth_source(const struct lift_source *source, int steps, struct lift_source *out,
                  struct lift_error *errors)
{
    *out = (struct lift_source){.name = lift_strdup(source->name),
                                .text = lift_strndup(source->text, source->len),
                                .len = source->len};
    return steps == 1 || lift_source_steps(out, steps, errors);
}

static struct lift_hash id_of(const struct lift_source *source, int steps)
{
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source several;
    const struct lift_program *program = NULL;
    struct lift_hash id = {0};

    if (depth_source(source, steps, &several, &errors))
        program = lift_program_load_general(&ir, &several, NULL, &errors);
    if (program && (program->steps > 1 ? program->steps : 1) == steps)
        id = lift_program_id(program);
    lift_source_free(&several);
    return id;
}

bool depth_is_of(struct depth_ids *ids, int steps, struct lift_hash id)
{
    const struct lift_hash none = {0};

    if (steps < 1 || steps > LIFT_MAX_STEPS)
        return false;
    if (!ids->tried[steps])
        ids->id[steps] = id_of(ids->source, steps);
    ids->tried[steps] = true;
    return !lift_hash_equal(ids->id[steps], none) && lift_hash_equal(ids->id[steps], id);
}

/* ---- kernels of a database */

struct finding {
    const struct chooser *c;
    struct depth_ids *ids;
    struct depth_speeds *out;
    enum lift_chosen_how how;
    double distance; /* of the rows in 'out'; infinity: none */
    bool failed;
};

/* Rows of a nearer device or of nearer sizes replace all others. */
static bool take(void *user, const struct lift_db_best *row)
{
    struct finding *f = user;
    double distance = chosen_distance(f->c->problem, row->sizes);
    enum lift_chosen_how how;

    if (isinf(distance) || !(row->gpts > 0) || isinf(row->gpts) ||
        strcmp(row->program, f->c->problem->name) != 0 ||
        strcmp(row->dtype, f->c->problem->dtype) != 0 ||
        !chosen_likeness(f->c, row->device_id, distance, &how, &f->failed))
        return !f->failed;
    if (isfinite(f->distance) &&
        (how > f->how || (how == f->how && distance > f->distance)))
        return true;
    if (!depth_is_of(f->ids, row->steps, row->program_id))
        return true;
    if (isinf(f->distance) || how < f->how || distance < f->distance)
        *f->out = (struct depth_speeds){{0}};
    f->how = how;
    f->distance = distance;
    f->out->gpts[row->steps] = fmax(f->out->gpts[row->steps], row->gpts);
    return true;
}

bool depth_find(const struct chooser *c, struct depth_ids *ids, struct depth_speeds *out,
                enum lift_chosen_how *how)
{
    struct finding f = {c, ids, out, LIFT_CHOSEN_DEFAULT, INFINITY, false};

    *out = (struct depth_speeds){{0}};
    if (c->db &&
        !lift_db_best(c->db, &(struct lift_db_filter){.program = NULL}, take, &f))
        f.failed = true;
    *how = f.how;
    return !f.failed;
}

/* ---- runs */

/* A change of kernels copies the state out of one layout and into another: as many single
 * sweeps take this time. */
static const double change_sweeps = 4;
/* Without a kernel of single steps in the database, an unexplored one computes them: the
 * explored kernels are assumed to be this many times as fast. */
static const double unexplored = 16;

int depth_fastest(const struct depth_speeds *speeds)
{
    int best = 0;

    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        if (speeds->gpts[n] > 0 && (!best || speeds->gpts[n] > speeds->gpts[best]))
            best = n;
    return best;
}

/* The times of 10^9 grid points that do not depend on the chosen kernels. */
struct costs {
    double single, change;
};

static struct costs costs_of(const struct depth_speeds *s)
{
    double best = s->gpts[depth_fastest(s)], single = s->gpts[1];

    return best > 0 ? (struct costs){single > 0 ? 1 / single : unexplored / best,
                                     change_sweeps / (single > 0 ? single : best)}
                    : (struct costs){1, 1};
}

/* Divides 'steps' into launches of fewer steps than 'below'. 'left' more kernels may be
 * used. */
static struct depth_split divide(const struct depth_speeds *s, const struct costs *costs,
                                 int64_t steps, int below, int left)
{
    struct depth_split best = {
        .part = {{1, steps}}, .count = 1, .seconds = (double)steps * costs->single};

    for (int n = 2; n < below && n <= steps && left > 1; n++) {
        int64_t most = steps / n, least = steps >= 2 * LIFT_MAX_STEPS ? most : 1;

        for (int64_t k = most; s->gpts[n] > 0 && k >= least; k--) {
            int64_t rest = steps - k * n;
            double seconds = (double)(k * n) / s->gpts[n];
            struct depth_split more = {.count = 0};

            if (rest) {
                more = divide(s, costs, rest, n, left - 1);
                seconds += costs->change + more.seconds;
            }
            if (!(seconds < best.seconds))
                continue;
            best.part[0] = (struct depth_part){n, k};
            memcpy(best.part + 1, more.part, (size_t)more.count * sizeof more.part[0]);
            best.count = 1 + more.count;
            best.seconds = seconds;
        }
    }
    return best;
}

static struct depth_split divide_all(const struct depth_speeds *s,
                                     const struct costs *costs, int64_t steps)
{
    return divide(s, costs, steps, LIFT_MAX_STEPS + 1, DEPTH_KERNELS);
}

static void reverse(struct depth_split *s)
{
    for (int i = 0; i < s->count / 2; i++) {
        const struct depth_part first = s->part[i];

        s->part[i] = s->part[s->count - 1 - i];
        s->part[s->count - 1 - i] = first;
    }
}

struct depth_split depth_split(const struct depth_speeds *speeds, int64_t steps, int now)
{
    const struct costs costs = costs_of(speeds);
    struct depth_split best = divide_all(speeds, &costs, steps), same;
    struct depth_speeds only = {{0}};

    if (!now || best.part[0].at_once == now)
        return best;
    if (best.part[best.count - 1].at_once == now) {
        reverse(&best);
        return best;
    }
    only.gpts[now] = speeds->gpts[now];
    same = divide_all(&only, &costs, steps);
    best.seconds += costs.change;
    return same.part[0].at_once == now && same.seconds <= best.seconds ? same : best;
}

/* The time of all runs with only these kernels and single steps. */
static double seconds_with(const struct depth_speeds *all, int most, int rest,
                           const struct depth_run *runs, int count)
{
    const struct costs costs = costs_of(all);
    struct depth_speeds some = {{0}};
    double sum = 0;

    some.gpts[most] = all->gpts[most];
    some.gpts[rest] = all->gpts[rest];
    for (int i = 0; i < count; i++)
        sum += runs[i].times * divide_all(&some, &costs, runs[i].steps).seconds;
    return sum;
}

/* A second kernel of several steps must save two percent. */
static const double saving = 0.98;

void depth_keep(struct depth_speeds *speeds, const struct depth_run *runs, int count)
{
    int most = 1, rest = 1;
    double least = seconds_with(speeds, 1, 1, runs, count), seconds;

    for (int n = 2; n <= LIFT_MAX_STEPS; n++)
        if (speeds->gpts[n] > 0 &&
            (seconds = seconds_with(speeds, n, 1, runs, count)) < least) {
            least = seconds;
            most = n;
        }
    least *= saving;
    for (int n = 2; n <= LIFT_MAX_STEPS && most > 1; n++)
        for (int k = 2; k < n; k++)
            if (speeds->gpts[n] > 0 && speeds->gpts[k] > 0 &&
                (seconds = seconds_with(speeds, n, k, runs, count)) < least) {
                least = seconds;
                most = n;
                rest = k;
            }
    for (int n = 2; n <= LIFT_MAX_STEPS; n++)
        if (n != most && n != rest)
            speeds->gpts[n] = 0;
}

int depth_of_rest(const struct depth_speeds *speeds, int most, int64_t steps)
{
    struct depth_run runs[LIFT_MAX_STEPS];
    double least, seconds;
    int count = 0, best = 1;

    for (int rest = 1; rest < most; rest++)
        if (!steps || steps % most == rest)
            runs[count++] = (struct depth_run){rest, 1};
    least = saving * seconds_with(speeds, 1, 1, runs, count);
    for (int n = 2; n < most; n++)
        if (speeds->gpts[n] > 0 &&
            (seconds = seconds_with(speeds, n, 1, runs, count)) < least) {
            least = seconds;
            best = n;
        }
    return best;
}

void depth_describe(const struct depth_split *split, struct lift_str *out)
{
    for (int i = 0; i < split->count; i++) {
        const struct depth_part *p = &split->part[i];
        bool one = p->launches == 1;

        lift_str_add(out, i ? ", then " : "");
        if (p->at_once > 1)
            lift_str_addf(out, "%lld launch%s of %d time steps", (long long)p->launches,
                          one ? "" : "es", p->at_once);
        else
            lift_str_addf(out, "%lld single step%s", (long long)p->launches,
                          one ? "" : "s");
    }
}

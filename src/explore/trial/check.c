/* Checks a kernel: at a small size against the interpreter, and at the problem's size
 * against the reference kernel, on random inputs and poisoned outputs. Also checks that
 * the kernel writes only to its own outputs. */
#include "base/bug.h"
#include "base/seconds.h"
#include "explore/trial/trial_run.h"
#include <stdio.h>
#include <string.h>

/* The data of one comparison. */
struct comparison {
    enum lift_check_kind kind;
    uint64_t seed;                       /* seed of the inputs */
    const struct explore_answer *answer; /* NULL: compare with 'truth' */
    struct explore_truth *truth;         /* result of the reference kernel */
};

static const char *mismatch(const struct comparison *c)
{
    if (c->kind == LIFT_CHECK_SMALL)
        return "differs from the interpreter at a small size";
    if (c->kind == LIFT_CHECK_SLAB)
        return "differs from the reference on a slab of the grid";
    if (c->kind == LIFT_CHECK_FULL)
        return "differs from the reference at the problem's size";
    return c->answer ? "differs from the interpreter on a second input of a small size"
                     : "differs from the reference on a second input";
}

static bool judge(struct run *r, const struct comparison *c,
                  const struct explore_verdict *verdict)
{
    r->t.reply.checks[r->t.reply.check_count++] =
        (struct lift_db_check){c->kind, verdict->max_error, verdict->bound, verdict->bad,
                               verdict->bad ? verdict->first_bad : -1};
    return verdict->bad == 0 ||
           trial_end(&r->t, verdict->nonfinite ? LIFT_TRIAL_NONFINITE : LIFT_TRIAL_WRONG,
                     mismatch(c));
}

/* The slot for these numbers and seed: an earlier answer, or an empty slot. */
static struct small_answer *find_answer(struct run_state *s,
                                        const struct explore_numbers *n, uint64_t seed)
{
    size_t bytes = sizeof n->values[0] * (size_t)n->size_count;
    struct small_answer *a;

    for (int i = 0; i < s->answer_count; i++)
        if (s->answers[i].problem == s->bench->problem && s->answers[i].seed == seed &&
            !memcmp(s->answers[i].sizes, n->values, bytes))
            return &s->answers[i];
    a = &s->answers[s->answer_count < RUN_ANSWERS ? s->answer_count++ : RUN_ANSWERS - 1];
    explore_answer_fini(&a->answer);
    a->problem = s->bench->problem;
    memcpy(a->sizes, n->values, bytes);
    a->seed = seed;
    return a;
}

static const struct explore_answer *answer_at(struct run *r, uint64_t seed)
{
    struct run_state *s = r->state;
    const struct explore_numbers *n = &r->candidate.small_numbers;
    struct small_answer *a = find_answer(s, n, seed);
    struct explore_question question = {.problem = s->bench->problem,
                                        .term = s->bench->problem->root,
                                        .numbers = &n->env,
                                        .seed = seed,
                                        .interpreter = s->interpreter};
    LIFT_SCOPED(lift_str) why = {0};

    if (a->answer.count)
        return &a->answer;
    if (!explore_interpret(&question, &a->answer, &why)) {
        trial_end(&r->t, LIFT_TRIAL_CONSTRAINT, lift_str_get(&why));
        a->sizes[0] = -1;
    }
    return a->answer.count ? &a->answer : NULL;
}

/* Looks for writes outside the outputs, which may have damaged this process. */
static bool inspect(struct run *r, struct runner_data *d, bool inputs)
{
    struct lift_error error = {0};

    return runner_inspect(r->state->device, d, inputs, &error) ||
           trial_end_failure(&r->t, &error);
}

static bool run_once(struct run *r, struct runner_module *m, struct runner_data *d,
                     double *seconds)
{
    struct lift_error error = {0};

    if (runner_fit(r->state->device, m, d, &error) &&
        runner_poison(r->state->device, d, &error) &&
        runner_launch(r->state->device, m, d, 1, seconds, &error))
        return inspect(r, d, false);
    return trial_end_failure(&r->t, &error);
}

/* The reference of output 'i'. */
static struct explore_pair expected(const struct comparison *c,
                                    const struct runner_data *d, int i, double *magnitude)
{
    const struct explore_leaf *leaf = &d->outputs[i];
    const void *data = c->answer ? c->answer->data[i] : c->truth->outputs[i];

    *magnitude = c->answer ? explore_magnitude(data, LIFT_F64, leaf->count)
                           : c->truth->magnitude[i];
    return (struct explore_pair){leaf->scalar, NULL, data, c->answer != NULL,
                                 leaf->count};
}

static bool compare_values(struct run *r, struct runner_data *d,
                           const struct comparison *c, int i,
                           struct explore_verdict *verdict)
{
    struct run_state *s = r->state;
    const struct explore_leaf *leaf = &d->outputs[i];
    struct lift_buffer *there = NULL;
    struct lift_error error = {0};
    struct explore_pair pair;
    double magnitude;
    int64_t base = 0;

    for (int k = 0; k < i; k++)
        base += d->outputs[k].count;
    pair = expected(c, d, i, &magnitude);
    verdict->bound =
        explore_seed_bound(s->bench->problem, c->seed, i, leaf->scalar, magnitude);
    if (c->truth && (d->remote || c->truth->there[i]))
        there = references_there(c->truth, s->device, i, leaf);
    if (there)
        return runner_compare(s->device, d, i, there, verdict, &error) ||
               trial_end_failure(&r->t, &error);
    if (!runner_read(s->device, d, i, &error))
        return trial_end_failure(&r->t, &error);
    pair.got = runner_result();
    explore_compare(verdict, pair, base);
    return true;
}

static bool compare_output(struct run *r, struct runner_data *d,
                           const struct comparison *c, int i,
                           struct explore_verdict *verdict)
{
    int64_t bad = verdict->bad;

    if (!compare_values(r, d, c, i, verdict))
        return false;
    explore_excuse(verdict, r->state->bench->problem, i, d->outputs[i].count, bad);
    return true;
}

static bool compare(struct run *r, struct runner_data *d, const struct comparison *c)
{
    struct explore_verdict verdict = {.bound = 0};

    for (int i = 0; i < d->output_count; i++)
        if (!compare_output(r, d, c, i, &verdict))
            return false;
    return judge(r, c, &verdict);
}

static bool compare_small(struct run *r, struct runner_data *d, enum lift_check_kind kind,
                          uint64_t seed)
{
    struct comparison c = {.kind = kind, .seed = seed, .answer = answer_at(r, seed)};

    if (!c.answer)
        return false;
    runner_reseed(d, seed);
    return run_once(r, &r->candidate.small, d, NULL) && compare(r, d, &c) &&
           inspect(r, d, true);
}

static bool check_small(struct run *r)
{
    struct run_state *s = r->state;
    uint64_t seed = s->bench->seed;
    struct runner_data data;
    struct lift_error error = {0};
    bool good;

    if (runner_data_create(s->bench->problem, s->device, &r->candidate.small_numbers.env,
                           seed, &data, &error))
        good = compare_small(r, &data, LIFT_CHECK_SMALL, seed) &&
               compare_small(r, &data, LIFT_CHECK_SECOND,
                             explore_far_seed(s->bench->problem, seed));
    else
        good = trial_end_failure(&r->t, &error);
    runner_data_destroy(s->device, &data);
    return good;
}

static bool create_data(struct run_state *s, struct lift_error *error)
{
    s->data_ready =
        runner_data_create(s->bench->problem, s->device, &s->bench->problem->sizes,
                           s->bench->seed, &s->data, error);
    if (!s->data_ready)
        runner_data_destroy(s->device, &s->data);
    return s->data_ready;
}

bool run_prepare(struct run *r, const struct runner_module *m)
{
    struct run_state *s = r->state;
    struct lift_error error = {0};

    run_part(r, m);
    return s->data_ready || create_data(s, &error) || trial_end_failure(&r->t, &error);
}

static const double reference_seconds = 600; /* most for a reference */

/* The reference of these inputs; NULL: the trial ended without one. The limits of trials
 * do not hold while it is made. */
static struct explore_truth *truth_of(struct run *r, int which)
{
    struct run_state *s = r->state;
    struct explore_truth *t = references_find(s->references, s->bench, which);
    const char *why = references_why_here(s->references);
    bool told = *why;
    double start = lift_seconds();
    struct lift_error error = {0};

    if (t)
        return t;
    runner_limit((struct runner_limits){.launch = 0});
    lift_worker_allow(reference_seconds);
    t = references_make(s->references, s->device, s->bench, which, &s->data, &error);
    run_limit(r);
    lift_worker_allow(explore_run_seconds(s->bench->problem));
    r->t.reply.reference_s += lift_seconds() - start;
    why = references_why_here(s->references);
    if (!told)
        snprintf(r->t.reply.made_on_host, sizeof r->t.reply.made_on_host, "%.*s",
                 (int)strcspn(why, "\n"), why);
    if (!t) {
        trial_end_failure(&r->t, &error);
        r->t.reply.no_reference = true;
    }
    return t;
}

static bool full_comparison(struct run *r, int which, struct comparison *out)
{
    enum lift_check_kind kind = which == EXPLORE_SECOND ? LIFT_CHECK_SECOND
                                : r->request->slab      ? LIFT_CHECK_SLAB
                                                        : LIFT_CHECK_FULL;

    *out = (struct comparison){.kind = kind, .truth = truth_of(r, which)};
    if (out->truth)
        out->seed = out->truth->seed;
    return out->truth != NULL;
}

/* The final benchmark checks on inputs new to the search. */
static int first_truth(const struct run *r)
{
    return r->request->task == TRIAL_LOAD ? EXPLORE_THIRD : EXPLORE_FIRST;
}

/* Checks at the problem's size. If an input changed, that is the reported reason for a
 * wrong result. */
static bool check_full(struct run *r, struct runner_data *d, int truth)
{
    struct comparison c;
    struct lift_error error = {0};

    if (!full_comparison(r, truth, &c))
        return false;
    runner_reseed(d, c.seed);
    if (!run_once(r, &r->candidate.full, d,
                  truth == EXPLORE_SECOND ? NULL : &r->first_seconds))
        return false;
    if (compare(r, d, &c))
        return runner_remember(r->state->device, d, &error) ||
               trial_end_failure(&r->t, &error);
    inspect(r, d, true);
    return false;
}

static bool check(struct run *r)
{
    if (r->request->parts == TRIAL_SMALL)
        return check_small(r);
    return (!r->candidate.small.module || r->request->known || check_small(r)) &&
           run_prepare(r, &r->candidate.full) &&
           check_full(r, &r->state->data, first_truth(r));
}

void run_reference(struct run *r)
{
    struct run_state *s = r->state;
    struct lift_error error = {0};

    r->t.reply.status = LIFT_TRIAL_OK;
    if (r->request->parts == TRIAL_SMALL)
        references_prepare(s->references, s->device, s->bench);
    else if (s->data_ready || create_data(s, &error))
        truth_of(r, EXPLORE_FIRST);
    else
        trial_end_failure(&r->t, &error);
}

bool run_check(struct run *r)
{
    double start = lift_seconds();
    bool good = check(r);

    r->t.reply.check_s = lift_seconds() - start - r->t.reply.reference_s;
    return good;
}

/* ---- after the timing */

static bool unsteady(struct run *r, const char *reason)
{
    return trial_end(&r->t, LIFT_TRIAL_NONDETERMINISTIC, reason);
}

/* Repeats the checked launch if timed launches changed the inputs. Outputs may be in
 * buffers of inputs whose halos are wrong (runner_refill). A second launch finds results
 * instead of poison in the outputs, like all launches but the first of a time loop. */
static bool launch_again(struct run *r)
{
    struct runner_data *d = &r->state->data;
    struct lift_error error = {0};
    bool changed = false;

    for (int i = 0; i < d->input_count; i++)
        changed |= d->spent[i];
    if (!changed || d->used <= 1)
        return true;
    return (runner_refill(r->state->device, d, true, &error) &&
            runner_poison(r->state->device, d, &error) &&
            runner_launch(r->state->device, &r->candidate.full, d,
                          runner_overwrites(d) ? 1 : 2, NULL, &error)) ||
           trial_end_failure(&r->t, &error);
}

/* The last launch had the inputs of the checked launch. The results are compared only if
 * they differ from the checked ones. The check has left its reference: making another one
 * here would overwrite these results. */
static bool check_again(struct run *r)
{
    struct comparison c;
    struct lift_error error = {0};
    bool same;

    if (!runner_recall(r->state->device, &r->state->data, &same, &error))
        return trial_end_failure(&r->t, &error);
    if (same)
        return true;
    LIFT_ASSERT(references_find(r->state->references, r->state->bench, first_truth(r)));
    if (!full_comparison(r, first_truth(r), &c))
        return false;
    if (!compare(r, &r->state->data, &c))
        return unsteady(r, "correct in the first run, and wrong in a second run");
    r->t.reply.check_count--;
    return true;
}

bool run_confirm(struct run *r)
{
    run_end_quiet(r);
    return launch_again(r) && inspect(r, &r->state->data, true) && check_again(r);
}

/* If a kernel is wrong on the second inputs and then also on the first, the inputs are
 * not the reason. */
static bool explain_second(struct run *r)
{
    struct trial_reply before = r->t.reply;

    if (before.status != LIFT_TRIAL_WRONG && before.status != LIFT_TRIAL_NONFINITE)
        return false;
    if (check_full(r, &r->state->data, EXPLORE_FIRST))
        r->t.reply = before;
    else if (r->t.reply.status != LIFT_TRIAL_OVERFLOW)
        unsteady(r, "correct in the first run, and wrong on the same input later");
    return false;
}

bool run_second(struct run *r)
{
    struct runner_data *d = &r->state->data;
    struct lift_error error = {0};

    if (!check_full(r, d, EXPLORE_SECOND))
        return explain_second(r);
    runner_reseed(d, r->state->bench->seed);
    return runner_fit(r->state->device, &r->candidate.full, d, &error) ||
           trial_end_failure(&r->t, &error);
}

/* Is a kernel right? At a small size against the interpreter, at the problem's against
 * the plain reference, on random inputs and poisoned outputs. */
#include "device/process.h"
#include "explore/run.h"
#include <string.h>

static bool judge(struct run *r, enum lift_check_kind kind,
                  const struct explore_verdict *verdict)
{
    r->t.reply.checks[r->t.reply.check_count++] =
        (struct lift_db_check){kind, verdict->max_error, verdict->bound, verdict->bad,
                               verdict->bad ? verdict->first_bad : -1};
    if (verdict->bad == 0)
        return true;
    return trial_end(&r->t, verdict->nonfinite ? LIFT_TRY_NONFINITE : LIFT_TRY_WRONG,
                     kind == LIFT_CHECK_SMALL
                         ? "differs from the interpreter at a small size"
                         : "differs from the reference at the problem's size");
}

static const struct explore_answer *answer_at(struct run *r)
{
    struct run_state *s = r->state;
    const struct explore_numbers *n = &r->candidate.small_numbers;
    size_t bytes = sizeof n->values[0] * (size_t)n->size_count;
    struct explore_question question = {.problem = s->bench->problem,
                                        .term = s->bench->problem->root,
                                        .seed = s->bench->seed};
    struct small_answer *a;
    struct lift_str why = {0};

    for (int i = 0; i < s->answer_count; i++)
        if (!memcmp(s->answers[i].sizes, n->values, bytes))
            return &s->answers[i].answer;
    a = &s->answers[s->answer_count < RUN_ANSWERS ? s->answer_count++ : RUN_ANSWERS - 1];
    explore_answer_fini(&a->answer);
    memcpy(a->sizes, n->values, bytes);
    question.numbers = &n->env;
    if (!explore_interpret(&question, &a->answer, &why)) {
        trial_end(&r->t, LIFT_TRY_CONSTRAINT, lift_str_get(&why));
        a->sizes[0] = -1;
    }
    lift_str_fini(&why);
    return a->answer.count ? &a->answer : NULL;
}

static bool run_once(struct run *r, const struct runner_module *m, struct runner_data *d,
                     double *seconds)
{
    struct lift_failure failure = {0};

    if (runner_fit(r->state->device, m, d, &failure) &&
        runner_poison(r->state->device, d, &failure) &&
        runner_launch(r->state->device, m, d, 1, seconds, &failure))
        return true;
    return trial_end_failure(&r->t, &failure);
}

/* Output 'i' beside what it should be: of the interpreter, or (no answer) of the plain
 * reference at the full size. */
static struct explore_pair expected(const struct run *r, const struct runner_data *d,
                                    int i, const struct explore_answer *answer,
                                    double *magnitude)
{
    const struct explore_bench *bench = r->state->bench;
    const struct explore_leaf *leaf = &d->outputs[i];
    const void *data = answer ? answer->data[i] : bench->reference[i];

    *magnitude = answer ? explore_magnitude(answer->data[i], LIFT_F64, leaf->count)
                        : bench->magnitude[i];
    return (struct explore_pair){leaf->scalar, d->scratch, data, answer != NULL,
                                 leaf->count};
}

static bool compare(struct run *r, struct runner_data *d, enum lift_check_kind kind,
                    const struct explore_answer *answer)
{
    struct explore_verdict verdict = {.bound = 0};
    int64_t base = 0;

    for (int i = 0; i < d->output_count; i++) {
        struct lift_failure failure = {0};
        struct explore_pair pair;
        double magnitude;

        if (!runner_read(r->state->device, d, i, &failure))
            return trial_end_failure(&r->t, &failure);
        pair = expected(r, d, i, answer, &magnitude);
        verdict.bound = explore_bound(r->state->bench->problem, pair.scalar, magnitude);
        explore_compare(&verdict, pair, base);
        base += pair.count;
    }
    return judge(r, kind, &verdict);
}

static bool check_small(struct run *r)
{
    struct run_state *s = r->state;
    const struct explore_answer *answer = answer_at(r);
    struct runner_data data;
    struct lift_failure failure = {0};
    bool good;

    if (!answer)
        return false;
    if (runner_data_create(s->bench->problem, s->device, &r->candidate.small_numbers.env,
                           s->bench->seed, &data, &failure))
        good = run_once(r, &r->candidate.small, &data, NULL) &&
               compare(r, &data, LIFT_CHECK_SMALL, answer);
    else
        good = trial_end_failure(&r->t, &failure);
    runner_data_destroy(s->device, &data);
    return good;
}

static bool prepare_data(struct run *r)
{
    struct run_state *s = r->state;
    struct lift_failure failure = {0};

    if (s->data_ready)
        return true;
    s->data_ready =
        runner_data_create(s->bench->problem, s->device, &s->bench->problem->sizes,
                           s->bench->seed, &s->data, &failure);
    if (s->data_ready)
        return true;
    runner_data_destroy(s->device, &s->data);
    return trial_end_failure(&r->t, &failure);
}

static bool check(struct run *r)
{
    return (r->candidate.arm->fixed || check_small(r)) && prepare_data(r) &&
           run_once(r, &r->candidate.full, &r->state->data, &r->first_seconds) &&
           compare(r, &r->state->data, LIFT_CHECK_FULL, NULL);
}

bool run_check(struct run *r)
{
    double start = device_now();
    bool good = check(r);

    r->t.reply.check_s = device_now() - start;
    return good;
}

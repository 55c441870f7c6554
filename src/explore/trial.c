#include "explore/trial.h"
#include "explore/runner.h"
#include "lift/bug.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 16, MIN_SAMPLES = 5 };

/* A launch is repeated until there are enough samples and they took so long together,
 * unless that takes too long; a kernel that is so much slower than the best is not timed
 * in full, where that would take a while. */
static const double enough_seconds = 0.02, too_many_seconds = 2, slow_factor = 4,
                    a_while = 1.5;

/* The interpreter's answer at some small sizes. */
struct small_answer {
    int64_t sizes[EXPLORE_MAX_SIZES];
    struct explore_answer answer;
};

/* What lasts from request to request. */
struct trial_state {
    const struct explore_bench *bench;
    struct lift_device *device;
    struct runner_module small, full; /* built last */
    struct explore_numbers small_numbers;
    struct runner_data data; /* at the problem's size */
    bool data_ready;
    struct small_answer answers[ANSWERS];
    int answer_count;
};

/* One request. */
struct trial {
    struct trial_state *state;
    const struct trial_request *request;
    struct trial_reply reply;
    struct lift_str source, flags, log;
};

/* ---- ends */

/* Keeps the first line, and of that what fits. */
static bool end(struct trial *t, enum lift_try_status status, const char *reason)
{
    size_t len = strcspn(reason, "\n");

    if (len >= TRIAL_REASON)
        len = TRIAL_REASON - 1;
    t->reply.status = status;
    memcpy(t->reply.reason, reason, len);
    t->reply.reason[len] = '\0';
    if (strlen(reason) > len)
        lift_str_addf(&t->log, "%s\n", reason);
    return false;
}

/* Compilers say which file first, and it differs from run to run. */
static const char *compiler_reason(const char *text)
{
    const char *error = strstr(text, "error: ");

    return error ? error : text;
}

static bool end_failure(struct trial *t, struct lift_failure *failure)
{
    static const enum lift_try_status statuses[] = {
        [LIFT_FAIL_NONE] = LIFT_TRY_RUN_ERROR,
        [LIFT_FAIL_COMPILE] = LIFT_TRY_COMPILE_ERROR,
        [LIFT_FAIL_RESOURCE] = LIFT_TRY_RESOURCE,
        [LIFT_FAIL_LAUNCH] = LIFT_TRY_LAUNCH_ERROR,
        [LIFT_FAIL_RUN] = LIFT_TRY_RUN_ERROR,
        [LIFT_FAIL_UNAVAILABLE] = LIFT_TRY_LOST,
    };
    const char *text = lift_str_get(&failure->text);
    enum lift_try_status status = statuses[failure->kind];

    if (status == LIFT_TRY_COMPILE_ERROR) {
        lift_str_addf(&t->log, "%s\n", text);
        if (strstr(text, "time limit"))
            status = LIFT_TRY_COMPILE_TIMEOUT;
        text = compiler_reason(text);
    }
    end(t, status, text);
    lift_failure_fini(failure);
    return false;
}

/* ---- building */

static int value_of(const struct explore_numbers *n, const char *name, int otherwise)
{
    int64_t value;

    return lift_nat_env_value((void *)&n->env, name, &value) ? (int)value : otherwise;
}

static void describe(const struct trial *t, const struct explore_arm *arm,
                     struct lift_str *out)
{
    char hex[LIFT_HASH_HEX];
    char *json = lift_space_json(arm->space, t->request->point);

    lift_str_addf(out, "expression %s\ntunables %s", lift_hash_hex(arm->term->hash, hex),
                  json);
    free(json);
}

static bool generate(struct trial *t, const struct explore_arm *arm,
                     const struct explore_numbers *numbers, struct runner_module *out)
{
    struct runner_request request = {.problem = t->state->bench->problem,
                                     .term = arm->term,
                                     .numbers = &numbers->env,
                                     .dialect = t->state->bench->info->dialect};
    struct lift_str why = {0}, comment = {0};
    bool done;

    for (int d = 0; d < 3; d++)
        request.local[d] = value_of(numbers, explore_local_names[d], 1);
    request.index_bits = value_of(numbers, explore_index_name, 64);
    describe(t, arm, &comment);
    request.comment = lift_str_get(&comment);
    done = runner_generate(&request, out, &why);
    if (!done)
        end(t, LIFT_TRY_CODEGEN, lift_str_get(&why));
    lift_str_fini(&why);
    lift_str_fini(&comment);
    return done;
}

static bool generate_small(struct trial *t, const struct explore_arm *arm)
{
    struct trial_state *s = t->state;
    struct lift_str why = {0};
    bool done;

    if (arm->fixed)
        return true;
    explore_numbers_of(s->bench->problem, arm, t->request->point, &s->small_numbers);
    done = explore_small_sizes(s->bench->problem, arm, &s->small_numbers, &why);
    if (!done)
        end(t, LIFT_TRY_CONSTRAINT, lift_str_get(&why));
    lift_str_fini(&why);
    return done && generate(t, arm, &s->small_numbers, &s->small);
}

static bool compile(struct trial *t, struct runner_module *m, const char *flags)
{
    struct lift_failure failure = {0};

    if (runner_build(t->state->device, m, flags, &t->log, &failure))
        return true;
    return end_failure(t, &failure);
}

static void forget_modules(struct trial_state *s)
{
    runner_unload(s->device, &s->small);
    runner_unload(s->device, &s->full);
}

/* The check at a small size is compiled in the same way, so that it is the same code but
 * for the sizes. */
static bool build(struct trial *t)
{
    struct trial_state *s = t->state;
    const struct explore_bench *bench = s->bench;
    const struct explore_arm *arm = &bench->arms[t->request->arm];
    const char *const *sets = explore_flag_sets(bench->problem, bench->info);
    struct explore_numbers numbers;

    forget_modules(s);
    explore_numbers_of(bench->problem, arm, t->request->point, &numbers);
    lift_str_add(&t->flags, sets[value_of(&numbers, explore_flags_name, 0)]);
    if (!generate(t, arm, &numbers, &s->full))
        return false;
    lift_str_add(&t->source, s->full.module->source);
    if (!generate_small(t, arm) || !compile(t, &s->full, lift_str_get(&t->flags)) ||
        (!arm->fixed && !compile(t, &s->small, lift_str_get(&t->flags))))
        return false;
    t->reply.resources = s->device->runtime->resources(s->device, s->full.binary,
                                                       s->full.module->kernels[0].name);
    t->reply.status = LIFT_TRY_OK;
    return true;
}

/* ---- checking */

static bool judge(struct trial *t, enum lift_check_kind kind,
                  const struct explore_verdict *verdict)
{
    t->reply.checks[t->reply.check_count++] =
        (struct lift_db_check){kind, verdict->max_error, verdict->bound, verdict->bad,
                               verdict->bad ? verdict->first_bad : -1};
    if (verdict->bad == 0)
        return true;
    return end(t, verdict->nonfinite ? LIFT_TRY_NONFINITE : LIFT_TRY_WRONG,
               kind == LIFT_CHECK_SMALL
                   ? "differs from the interpreter at a small size"
                   : "differs from the reference at the problem's size");
}

static const struct explore_answer *answer_at(struct trial *t)
{
    struct trial_state *s = t->state;
    const struct explore_numbers *n = &s->small_numbers;
    size_t bytes = sizeof n->values[0] * (size_t)n->size_count;
    struct explore_question question = {.problem = s->bench->problem,
                                        .term = s->bench->problem->root,
                                        .seed = s->bench->seed};
    struct small_answer *a;
    struct lift_str why = {0};

    for (int i = 0; i < s->answer_count; i++)
        if (!memcmp(s->answers[i].sizes, n->values, bytes))
            return &s->answers[i].answer;
    a = &s->answers[s->answer_count < ANSWERS ? s->answer_count++ : ANSWERS - 1];
    explore_answer_fini(&a->answer);
    memcpy(a->sizes, n->values, bytes);
    question.numbers = &n->env;
    if (!explore_interpret(&question, &a->answer, &why)) {
        end(t, LIFT_TRY_CONSTRAINT, lift_str_get(&why));
        a->sizes[0] = -1;
    }
    lift_str_fini(&why);
    return a->answer.count ? &a->answer : NULL;
}

static bool run_once(struct trial *t, const struct runner_module *m,
                     struct runner_data *d, double *seconds)
{
    struct lift_failure failure = {0};

    if (runner_fit(t->state->device, m, d, &failure) &&
        runner_poison(t->state->device, d, &failure) &&
        runner_launch(t->state->bench->problem, t->state->device, m, d, seconds,
                      &failure))
        return true;
    return end_failure(t, &failure);
}

/* Output 'i' beside what it should be: of the interpreter, or (no answer) of the plain
 * reference at the full size. */
static struct explore_pair expected(const struct trial *t, const struct runner_data *d,
                                    int i, const struct explore_answer *answer,
                                    double *magnitude)
{
    const struct explore_bench *bench = t->state->bench;
    const struct explore_leaf *leaf = &d->outputs[i];
    const void *data = answer ? answer->data[i] : bench->reference[i];

    *magnitude = answer ? explore_magnitude(answer->data[i], LIFT_F64, leaf->count)
                        : bench->magnitude[i];
    return (struct explore_pair){leaf->scalar, d->scratch, data, answer != NULL,
                                 leaf->count};
}

static bool compare(struct trial *t, struct runner_data *d, enum lift_check_kind kind,
                    const struct explore_answer *answer)
{
    struct explore_verdict verdict = {.bound = 0};
    int64_t base = 0;

    for (int i = 0; i < d->output_count; i++) {
        struct lift_failure failure = {0};
        struct explore_pair pair;
        double magnitude;

        if (!runner_read(t->state->device, d, i, &failure))
            return end_failure(t, &failure);
        pair = expected(t, d, i, answer, &magnitude);
        verdict.bound = explore_bound(t->state->bench->problem, pair.scalar, magnitude);
        explore_compare(&verdict, pair, base);
        base += pair.count;
    }
    return judge(t, kind, &verdict);
}

static bool check_small(struct trial *t)
{
    struct trial_state *s = t->state;
    const struct explore_answer *answer = answer_at(t);
    struct runner_data data;
    struct lift_failure failure = {0};
    bool good;

    if (!answer)
        return false;
    if (runner_data_create(s->bench->problem, s->device, &s->small_numbers.env,
                           s->bench->seed, &data, &failure))
        good = run_once(t, &s->small, &data, NULL) &&
               compare(t, &data, LIFT_CHECK_SMALL, answer);
    else
        good = end_failure(t, &failure);
    runner_data_destroy(s->device, &data);
    return good;
}

static bool prepare_data(struct trial *t)
{
    struct trial_state *s = t->state;
    struct lift_failure failure = {0};

    if (s->data_ready)
        return true;
    s->data_ready =
        runner_data_create(s->bench->problem, s->device, &s->bench->problem->sizes,
                           s->bench->seed, &s->data, &failure);
    if (s->data_ready)
        return true;
    runner_data_destroy(s->device, &s->data);
    return end_failure(t, &failure);
}

/* ---- timing */

static bool sample(struct trial *t, double *seconds)
{
    struct lift_failure failure = {0};

    if (!runner_launch(t->state->bench->problem, t->state->device, &t->state->full,
                       &t->state->data, seconds, &failure))
        return end_failure(t, &failure);
    if (*seconds <= 0)
        *seconds = 1e-9;
    t->reply.samples[t->reply.sample_count++] = *seconds;
    return true;
}

/* The launch that was checked was the warm-up. */
static bool measure(struct trial *t)
{
    struct trial_reply *r = &t->reply;
    double best = t->request->best, sum = 0, seconds;

    r->status = LIFT_TRY_OK;
    while (r->sample_count < TRIAL_SAMPLES) {
        if (r->sample_count >= MIN_SAMPLES && sum >= enough_seconds)
            return true;
        if (r->sample_count > 0 && sum >= too_many_seconds)
            return true;
        if (!sample(t, &seconds))
            return false;
        sum += seconds;
        if (best > 0 && r->sample_count == 1 && seconds > slow_factor * best &&
            seconds * MIN_SAMPLES > a_while)
            return end(t, LIFT_TRY_SLOW, "much slower than the best kernel");
    }
    return true;
}

static void run(struct trial *t)
{
    bool fixed = t->state->bench->arms[t->request->arm].fixed;

    if (!t->state->full.binary || (!fixed && !t->state->small.binary))
        end(t, LIFT_TRY_LOST, "the worker was started again");
    else if ((fixed || check_small(t)) && prepare_data(t) &&
             run_once(t, &t->state->full, &t->state->data, NULL) &&
             compare(t, &t->state->data, LIFT_CHECK_FULL, NULL))
        measure(t);
}

/* ---- serving */

static struct trial_state *open_state(const struct explore_bench *bench,
                                      struct lift_failure *failure)
{
    struct trial_state *s = calloc(1, sizeof *s);

    LIFT_ASSERT(s);
    s->bench = bench;
    s->device = lift_device_open(bench->device, failure);
    if (s->device)
        return s;
    free(s);
    return NULL;
}

static size_t add_text(struct lift_str *reply, const struct lift_str *text)
{
    if (text->len == 0)
        return 0;
    lift_str_addn(reply, text->data, text->len + 1);
    return text->len + 1;
}

static void send(struct trial *t, struct lift_str *reply)
{
    size_t at = reply->len;

    lift_str_addn(reply, (const char *)&t->reply, sizeof t->reply);
    t->reply.source_size = add_text(reply, &t->source);
    t->reply.flags_size = add_text(reply, &t->flags);
    t->reply.log_size = add_text(reply, &t->log);
    memcpy(reply->data + at, &t->reply, sizeof t->reply);
    lift_str_fini(&t->source);
    lift_str_fini(&t->flags);
    lift_str_fini(&t->log);
}

void explore_trial_serve(void *user, void **state, const void *request, size_t size,
                         struct lift_str *reply)
{
    struct trial_request asked;
    struct trial t = {.request = &asked};
    struct lift_failure failure = {0};

    LIFT_ASSERT(size == sizeof asked);
    memcpy(&asked, request, size);
    t.reply.resources = (struct lift_resources){-1, -1, -1, -1};
    if (!*state)
        *state = open_state(user, &failure);
    t.state = *state;
    if (!t.state)
        end_failure(&t, &failure);
    else if (asked.step == TRIAL_BUILD)
        build(&t);
    else
        run(&t);
    send(&t, reply);
}

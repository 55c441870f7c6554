#include "steps.h"
#include "base/bug.h"
#include "explore/explore.h"
#include "ir/eval.h"
#include "lift/parse.h"
#include "lift/plan.h"
#include "lift/program.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 64, TIME_STEPS = 3 };

/* ---- comparing */

/* True if 'got' equals the program's value; exact programs distinguish the signs of zero,
 * too. */
static bool agrees(struct rp_num want, double got, bool exact)
{
    double error = rp_num_error(want);

    if (!isfinite(error))
        return true;
    if (isnan((double)want.v) || isinf((double)want.v))
        return isnan((double)want.v) ? isnan(got) : got == (double)want.v;
    if (error == 0)
        return got == (double)want.v && (!exact || want.kind == RP_I32 || got != 0 ||
                                         !signbit(got) == !signbit((double)want.v));
    /* Stored values are rounded. */
    if (want.kind == RP_F32)
        error += fabs((double)want.v) * 0x1p-23 + 0x1p-126;
    else if (rp_is_stored(want.kind))
        error += fabs((double)want.v) * 0x1p-7 + 0x1p-24;
    return fabsl(got - want.v) <= error * 1.001;
}

static bool compare(struct rp_verdict *out, const struct rp_case *c, const double *got,
                    const char *who)
{
    const struct rp_data *want = &c->run->out;
    int64_t bad = 0, first = -1;

    for (int64_t k = want->count - 1; k >= 0; k--)
        if (!agrees(want->num[k], got[k], c->program->exact)) {
            bad++;
            first = k;
        }
    if (bad > 0)
        rp_say(out, RP_WRONG,
               "%s: %lld of %lld elements differ; number %lld is %.17g, expected %.17g "
               "within %.3g",
               who, (long long)bad, (long long)want->count, (long long)first, got[first],
               (double)want->num[first].v, rp_num_error(want->num[first]));
    return bad == 0;
}

/* The value after 'steps' steps of time. */
static bool expect(const struct rp_case *c, int steps)
{
    for (int i = 0; i < steps; i++) {
        if (i > 0)
            rp_run_advance(c->run);
        if (!rp_run_step(c->run))
            return false;
    }
    return true;
}

/* ---- the text */

static void say_errors(struct rp_verdict *out, struct lift_error *errors)
{
    struct lift_str text = {0};
    lift_error_format(errors, &text);
    rp_say(out, RP_REFUSED, "%s", lift_str_get(&text));
    lift_str_fini(&text);
    lift_error_fini(errors);
}

static struct lift_source source_of(const char *text)
{
    return (struct lift_source){"program", text, strlen(text)};
}

static const struct lift_program *load(struct lift_ir *ir, const char *text,
                                       bool symbolic, struct rp_verdict *out)
{
    struct lift_source *source = malloc(sizeof *source); /* diagnostics point to it */
    struct lift_error errors = {0};
    const struct lift_program_options options = {.symbolic = symbolic};
    const struct lift_program *p;

    LIFT_ASSERT(source);
    *source = source_of(text);
    p = lift_program_load(ir, source, &options, &errors);
    if (!p)
        say_errors(out, &errors);
    return p;
}

/* Read again, 'text' is the program 'p'. */
static bool reads_as(struct lift_ir *ir, const struct lift_program *p, const char *text,
                     struct rp_verdict *out)
{
    const struct lift_program *q = load(ir, text, false, out);

    if (q && q->body == p->body)
        return true;
    if (q)
        rp_say(out, RP_WRONG, "read back as another program:\n%s", text);
    else
        out->outcome = RP_WRONG;
    return false;
}

static void check_format(const struct rp_case *c, struct lift_ir *ir,
                         const struct lift_program *p, struct rp_verdict *out)
{
    struct lift_source source = source_of(c->text);
    struct lift_str once = {0}, twice = {0};
    struct lift_error errors = {0};

    if (!lift_format(&source, &errors, &once)) {
        say_errors(out, &errors);
        out->outcome = RP_WRONG;
        return;
    }
    source = source_of(lift_str_get(&once));
    if (!reads_as(ir, p, lift_str_get(&once), out))
        return;
    if (!lift_format(&source, &errors, &twice) ||
        strcmp(lift_str_get(&once), lift_str_get(&twice)) != 0)
        rp_say(out, RP_WRONG, "formatted twice it changes again:\n%s",
               lift_str_get(&twice));
}

static void format(const struct rp_case *c, struct rp_verdict *out)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p = load(ir, c->text, false, out);
    struct lift_str printed = {0};

    if (!p || !load(ir, c->text, true, out))
        return;
    lift_program_print(p, &printed);
    if (reads_as(ir, p, lift_str_get(&printed), out))
        check_format(c, ir, p, out);
}

/* ---- the interpreter */

static double *numbers_of(const struct rp_data *data)
{
    double *x = calloc((size_t)data->count + 1, sizeof *x);

    LIFT_ASSERT(x);
    for (int64_t i = 0; i < data->count; i++)
        x[i] = (double)data->num[i].v;
    return x;
}

static void bind(const struct rp_case *c, const struct lift_program *p,
                 struct lift_arena *arena, struct lift_binding *values)
{
    for (int i = 0; i < p->param_count; i++)
        values[i] = (struct lift_binding){p->params[i].name,
                                          p->params[i].scalar == LIFT_I32
                                              ? lift_value_int((int64_t)c->run->param[i])
                                              : lift_value_float(c->run->param[i])};
    for (int i = 0; i < p->input_count; i++) {
        struct lift_binding *b = &values[p->param_count + i];
        double *x = numbers_of(&c->run->in[i]);

        b->name = p->inputs[i].name;
        if (!lift_value_from_doubles(arena, p->inputs[i].type, NULL, NULL, x, &b->value))
            LIFT_BUG("input '%s' has no such type", b->name);
        free(x);
    }
}

/* The interpreter has a grid of tuples apart: all elements of a member together. */
static void put_together(const struct rp_program *p, double *x, int64_t count)
{
    rp_type elem = p->body->type;
    double *apart;

    if (elem->form == RP_TUPLE)
        return;
    while (elem->form == RP_ARRAY)
        elem = elem->elem;
    if (elem->form != RP_TUPLE)
        return;
    apart = malloc((size_t)count * sizeof *x);
    LIFT_ASSERT(apart);
    memcpy(apart, x, (size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = apart[i % elem->count * (count / elem->count) + i / elem->count];
    free(apart);
}

static void interpret(const struct rp_case *c, struct rp_verdict *out)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_arena *arena = lift_arena_create();
    const struct lift_program *p = load(ir, c->text, false, out);
    struct lift_binding values[LIFT_MAX_SCALARS + LIFT_MAX_ARGS];
    struct lift_str why = {0};
    struct lift_value value;
    double *got;

    if (!p)
        return;
    bind(c, p, arena, values);
    if (!lift_eval(&(struct lift_eval_env){.values = values,
                                           .value_count = p->param_count + p->input_count,
                                           .round_f32 = true},
                   p->body, arena, &value, &why)) {
        rp_say(out, RP_WRONG, "the interpreter: %s", lift_str_get(&why));
        return;
    }
    got = calloc((size_t)lift_value_scalars(value) + 1, sizeof *got);
    lift_value_flatten(value, got);
    if (lift_value_scalars(value) != c->run->out.count)
        rp_say(out, RP_WRONG, "the interpreter has %lld elements",
               (long long)lift_value_scalars(value));
    else if (expect(c, 1)) {
        put_together(c->program, got, c->run->out.count);
        compare(out, c, got, "the interpreter");
    }
}

/* ---- arrays of plans: one for each scalar member */

struct arrays {
    int count;
    struct lift_plan_array info[ARRAYS];
    void *data[ARRAYS];
    int64_t filled[ARRAYS];
};

/* By their bits: half a double has no such type everywhere. */
static uint16_t f16_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;

    if (isnan(x))
        return 0x7e00;
    x = fabs(x);
    if (isinf(x))
        return sign | 0x7c00;
    if (x < 0x1p-14)
        return sign | (uint16_t)(x * 0x1p24);
    frexp(x, &exponent);
    return sign | (uint16_t)((exponent + 14) << 10) |
           (uint16_t)((ldexp(x, 1 - exponent) - 1) * 1024);
}

static double of_f16(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double x = bits & 1023;

    x = exponent == 31  ? (x != 0 ? NAN : INFINITY)
        : exponent == 0 ? x * 0x1p-24
                        : ldexp(1 + x / 1024, exponent - 15);
    return bits & 0x8000 ? -x : x;
}

static uint16_t bf16_bits(double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double of_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static void put(struct arrays *a, int at, double x)
{
    int64_t k = a->filled[at]++;

    switch (a->info[at].type) {
    case LIFT_PLAN_F32:
        ((float *)a->data[at])[k] = (float)x;
        break;
    case LIFT_PLAN_F64:
        ((double *)a->data[at])[k] = x;
        break;
    case LIFT_PLAN_I32:
        ((int32_t *)a->data[at])[k] = (int32_t)x;
        break;
    case LIFT_PLAN_F16:
        ((uint16_t *)a->data[at])[k] = f16_bits(x);
        break;
    case LIFT_PLAN_BF16:
        ((uint16_t *)a->data[at])[k] = bf16_bits(x);
        break;
    default:
        ((unsigned char *)a->data[at])[k] = x != 0;
    }
}

static double take(struct arrays *a, int at)
{
    int64_t k = a->filled[at]++;

    switch (a->info[at].type) {
    case LIFT_PLAN_F32:
        return (double)((float *)a->data[at])[k];
    case LIFT_PLAN_F64:
        return ((double *)a->data[at])[k];
    case LIFT_PLAN_I32:
        return ((int32_t *)a->data[at])[k];
    case LIFT_PLAN_F16:
        return of_f16(((uint16_t *)a->data[at])[k]);
    case LIFT_PLAN_BF16:
        return of_bf16(((uint16_t *)a->data[at])[k]);
    default:
        return ((unsigned char *)a->data[at])[k];
    }
}

/* How many arrays a type has. */
static int leaves(rp_type t)
{
    int n = 0;

    if (t->form == RP_SCALAR)
        return 1;
    if (t->form == RP_ARRAY)
        return leaves(t->elem);
    for (int i = 0; i < t->count; i++)
        n += leaves(t->member[i]);
    return n;
}

/* Between arrays and the order of rp_data, from array 'at' on. */
static void transfer(const struct rp_program *p, struct arrays *a, rp_type t, int at,
                     double **x, bool out)
{
    if (t->form == RP_SCALAR) {
        LIFT_ASSERT(at < a->count && (int)a->info[at].type == (int)t->kind);
        LIFT_ASSERT(a->filled[at] < a->info[at].count);
        if (out)
            *(*x)++ = take(a, at);
        else
            put(a, at, *(*x)++);
    } else if (t->form == RP_ARRAY) {
        for (int i = 0; i < rp_len_value(p, t->len); i++)
            transfer(p, a, t->elem, at, x, out);
    } else {
        for (int i = 0; i < t->count; at += leaves(t->member[i++]))
            transfer(p, a, t->member[i], at, x, out);
    }
}

static void make_arrays(struct lift_plan *plan, struct arrays *a, bool out)
{
    a->count = out ? lift_plan_outputs(plan) : lift_plan_inputs(plan);
    LIFT_ASSERT(a->count <= ARRAYS);
    for (int i = 0; i < a->count; i++) {
        if (out)
            lift_plan_output(plan, i, &a->info[i]);
        else
            lift_plan_input(plan, i, &a->info[i]);
        a->data[i] = malloc(a->info[i].bytes);
        LIFT_ASSERT(a->data[i]);
        memset(a->data[i], 0xff, a->info[i].bytes);
    }
}

static void fill_inputs(const struct rp_case *c, struct arrays *a)
{
    int at = 0;

    memset(a->filled, 0, sizeof a->filled);
    for (int i = 0; i < c->program->input_count; i++) {
        double *x = numbers_of(&c->run->in[i]), *end = x;

        transfer(c->program, a, c->program->inputs[i].type, at, &end, false);
        at += leaves(c->program->inputs[i].type);
        free(x);
    }
    LIFT_ASSERT(at == a->count);
}

static bool compare_outputs(const struct rp_case *c, struct arrays *a, const char *who,
                            struct rp_verdict *out)
{
    double *x = calloc((size_t)c->run->out.count + 1, sizeof *x), *end = x;
    bool same;

    memset(a->filled, 0, sizeof a->filled);
    transfer(c->program, a, c->program->body->type, 0, &end, true);
    same = compare(out, c, x, who);
    free(x);
    return same;
}

/* ---- plans */

static bool set_params(const struct rp_case *c, struct lift_plan *plan,
                       struct rp_verdict *out)
{
    LIFT_SCOPED(lift_error) error = {0};

    for (int i = 0; i < c->program->param_count; i++)
        if (!lift_plan_set_param(plan, c->program->params[i].name, c->run->param[i],
                                 &error)) {
            rp_say(out, RP_CRASHED, "a parameter: %s", lift_error_text(&error));
            return false;
        }
    return true;
}

/* 'steps' steps of the time loop, from the inputs of 'c'. */
static void advance(const struct rp_case *c, struct lift_plan *plan, int steps,
                    const char *who, struct rp_verdict *out)
{
    static struct arrays state, result;
    LIFT_SCOPED(lift_error) error = {0};
    struct rp_run run;
    const struct rp_case first = {c->program, c->text, c->seed, &run};

    rp_run_init(&run, c->program, RP_INPUTS_SEED);
    make_arrays(plan, &state, false);
    make_arrays(plan, &result, true);
    fill_inputs(&first, &state);
    if (!lift_plan_advance(plan, state.data, result.data, steps, &error))
        rp_say(out, RP_CRASHED, "%s: %s", who, lift_error_text(&error));
    else if (expect(&first, steps))
        compare_outputs(&first, &result, who, out);
    rp_run_fini(&run);
}

static void execute(const struct rp_case *c, struct lift_plan *plan,
                    struct rp_verdict *out)
{
    static struct arrays in, result;
    LIFT_SCOPED(lift_error) error = {0};

    make_arrays(plan, &in, false);
    make_arrays(plan, &result, true);
    fill_inputs(c, &in);
    if (!set_params(c, plan, out))
        return;
    if (!lift_plan_execute(plan, (const void *const *)in.data, result.data, &error))
        rp_say(out, RP_CRASHED, "the plan: %s", lift_error_text(&error));
    else if (expect(c, 1) && compare_outputs(c, &result, "the plan", out) &&
             c->program->loops)
        advance(c, plan, TIME_STEPS, "steps of time", out);
}

/* A missing device; a compiler's rejection; a feature that lift lacks. */
static enum rp_outcome outcome_of(struct lift_error *error)
{
    if (error->code == LIFT_ERROR_DEVICE)
        return RP_ABSENT;
    if (strstr(lift_error_text(error), "took longer") ||
        strstr(lift_error_text(error), "seconds"))
        return RP_SLOW;
    if (strstr(lift_error_text(error), "error:") ||
        strstr(lift_error_text(error), "ompil") ||
        strstr(lift_error_text(error), "clBuildProgram"))
        return RP_NO_COMPILE;
    return RP_REFUSED;
}

static struct lift_plan *plan_of(const struct rp_step *step, const struct rp_case *c,
                                 int steps, struct rp_verdict *out)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *p;

    LIFT_ASSERT(planner);
    p = lift_plan_create(planner,
                         &(struct lift_plan_options){
                             .program = c->text, .device = step->device, .steps = steps},
                         &error);
    if (!p)
        rp_say(out, outcome_of(&error), "%s%s", steps ? "several steps: " : "",
               lift_error_text(&error));
    return p;
}

int rp_steps_at_once(const struct rp_program *p, uint64_t seed)
{
    return p->loops && seed % 3 > 0 ? 1 + (int)(seed % 3) : 0;
}

static void plan(const struct rp_step *step, const struct rp_case *c,
                 struct rp_verdict *out)
{
    struct lift_plan *p = plan_of(step, c, 0, out);
    int steps = rp_steps_at_once(c->program, c->seed);

    if (p)
        execute(c, p, out);
    if (!p || !steps || out->outcome != RP_RIGHT)
        return;
    p = plan_of(step, c, steps, out);
    if (p && set_params(c, p, out))
        advance(c, p, 2 * steps + 1, "several steps a launch", out);
}

/* ---- candidates */

static enum rp_outcome outcome_of_trial(enum lift_trial_status status)
{
    switch (status) {
    case LIFT_TRIAL_OK:
    case LIFT_TRIAL_CONSTRAINT: /* without a kernel at these numbers: a row, and no fault
                                 */
    case LIFT_TRIAL_CODEGEN:
    case LIFT_TRIAL_RESOURCE:
        return RP_RIGHT;
    case LIFT_TRIAL_COMPILE_ERROR:
        return RP_NO_COMPILE;
    case LIFT_TRIAL_SLOW:
    case LIFT_TRIAL_COMPILE_TIMEOUT:
    case LIFT_TRIAL_RUN_TIMEOUT:
        return RP_SLOW;
    case LIFT_TRIAL_WRONG:
    case LIFT_TRIAL_NONFINITE:
    case LIFT_TRIAL_OVERFLOW:
    case LIFT_TRIAL_NONDETERMINISTIC:
        return RP_WRONG;
    default:
        return RP_CRASHED;
    }
}

static void take_row(void *user, const struct lift_explore_build *row)
{
    struct rp_verdict *out = user;
    enum rp_outcome outcome = outcome_of_trial(row->status);

    out->tried += row->status == LIFT_TRIAL_OK;
    out->without += row->status != LIFT_TRIAL_OK && outcome == RP_RIGHT;
    if (outcome > out->outcome)
        rp_say(out, outcome, "%s: %s: %s by %s with %s\n%.1500s", row->device,
               lift_trial_status_name(row->status), row->reason, row->steps,
               row->tunables, row->log);
}

static enum rp_outcome outcome_of_failure(const char *device)
{
    struct lift_explore_device found = {.texts = NULL};
    struct lift_str why = {0};
    bool here = lift_explore_device(device, false, &found, &why);

    lift_explore_device_fini(&found);
    lift_str_fini(&why);
    return here ? RP_REFUSED : RP_ABSENT;
}

/* Of one configuration, or of any where it is NULL. */
static void candidates_at(const struct rp_step *step, const struct rp_case *c,
                          const char *const *point, struct rp_verdict *out)
{
    struct lift_source source = source_of(c->text);
    struct lift_error errors = {0};
    struct lift_explore_result result = lift_explore_builds(
        &(struct lift_explore_options){.source = &source,
                                       .rules = lift_rules_shipped(),
                                       .devices = &step->device,
                                       .device_count = 1,
                                       .jobs = 1,
                                       .points = point,
                                       .point_count = point != NULL,
                                       .seed = c->seed},
        step->candidates, step->kind == RP_CHECK ? LIFT_BUILDS_CHECK : LIFT_BUILDS_ONLY,
        &errors, take_row, out);
    const char *why = lift_str_get(&result.error);

    if (result.end == LIFT_EXPLORE_BAD_PROGRAM)
        say_errors(out, &errors);
    else if (result.end == LIFT_EXPLORE_FAILED && point && strstr(why, "not apply: "))
        out->without++; /* for a reason that the program's author can act on */
    else if (result.end == LIFT_EXPLORE_FAILED)
        rp_say(out, outcome_of_failure(step->device), "%s", why);
}

/* Stages that are stored, and tiles over them. */
static const char *const on_threads[] = {
    "intermediates=stored,parallel=omp_static",
    "intermediates=stored,temporal=overlapped,parallel=omp_static",
    "intermediates=stored,temporal=overlapped_specialised,parallel=omp_tasks",
    "intermediates=stored,temporal=overlapped_slabs,parallel=omp_static", NULL};
static const char *const on_groups[] = {
    "intermediates=stored,parallel=threads",
    "intermediates=stored,temporal=overlapped,parallel=blocks",
    "intermediates=stored,temporal=overlapped_specialised,parallel=blocks",
    "intermediates=stored,temporal=overlapped_slabs,parallel=blocks", NULL};

static void candidates(const struct rp_step *step, const struct rp_case *c,
                       struct rp_verdict *out)
{
    const char *const *points = strncmp(step->device, "host", 4) ? on_groups : on_threads;

    if (!step->stages)
        candidates_at(step, c, NULL, out);
    for (int i = 0; step->stages && points[i] && out->outcome <= RP_RIGHT; i++)
        candidates_at(step, c, &points[i], out);
}

void rp_serve(const struct rp_step *step, const struct rp_case *c, struct rp_verdict *out)
{
    switch (step->kind) {
    case RP_FORMAT:
        format(c, out);
        break;
    case RP_INTERPRET:
        interpret(c, out);
        break;
    case RP_PLAN:
        plan(step, c, out);
        break;
    default:
        candidates(step, c, out);
    }
}

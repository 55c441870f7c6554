#include "base/bug.h"
#include "base/fail.h"
#include "explore/explore.h"
#include "explore/explore_verify.h"
#include "explore/reference.h"
#include <stdlib.h>
#include <string.h>

struct verifier {
    const struct lift_verify_options *options;
    struct lift_str *why;
    struct explore_problem *problem;
    struct lift_explore_device device;
    struct candidate_space *spaces; /* candidate spaces of the terms */
    const char **unfit; /* for each term, the reason for having no configuration; NULL: it
                           has some */
    struct explore_bench bench;
    struct lift_worker *builder, *runner;
};

/* ---- the term in the problem's own context */

static lift_nat keep(void *user, lift_nat var)
{
    (void)user, (void)var;
    return NULL;
}

static struct explore_conditions import_conditions(const struct verifier *v,
                                                   const struct lift_verify_term *t)
{
    struct lift_ir *ir = v->problem->ir;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(lift_ir_arena(ir), struct lift_side_condition, t->condition_count);

    for (int i = 0; i < t->condition_count; i++) {
        const struct lift_side_condition *c = &t->conditions[i];

        all[i] = (struct lift_side_condition){
            c->kind, lift_nat_subst(lift_ir_nats(ir), c->a, keep, NULL),
            lift_nat_subst(lift_ir_nats(ir), c->b, keep, NULL), c->why};
    }
    return (struct explore_conditions){all, t->condition_count};
}

static bool make_space(struct verifier *v, const struct lift_verify_term *t,
                       struct candidate_space *candidates, const char **unfit)
{
    const struct lift_verify_options *o = v->options;
    struct lift_type_error error = {.text = ""};
    struct candidate_space_request request = {
        .problem = v->problem,
        .device = &v->device.info,
        .term = lift_expr_subst(v->problem->ir, t->term, keep, NULL, &error),
        .conditions = import_conditions(v, t),
        .set = o->set,
        .set_count = o->set_count};

    if (!request.term)
        return LIFT_FAIL(v->why, "%s", error.text);
    if (!candidate_space_make(&request, candidates, v->why)) {
        if (!candidates->space)
            return false;
        *unfit = lift_arena_strdup(lift_ir_arena(v->problem->ir), lift_str_get(v->why));
        lift_str_clear(v->why);
    }
    candidates->fixed = request.term->type != v->problem->root->type;
    return true;
}

static bool make_spaces(struct verifier *v)
{
    const struct lift_verify_options *o = v->options;

    v->spaces = LIFT_NEW_ARRAY(lift_ir_arena(v->problem->ir), struct candidate_space,
                               o->term_count);
    v->unfit = LIFT_NEW_ARRAY(lift_ir_arena(v->problem->ir), const char *, o->term_count);
    for (int i = 0; i < o->term_count; i++)
        if (!make_space(v, &o->terms[i], &v->spaces[i], &v->unfit[i]))
            return false;
    return true;
}

/* ---- the reference */

/* Kernels that are only built need no reference result. */
static bool make_reference(struct verifier *v)
{
    v->bench = (struct explore_bench){.problem = v->problem,
                                      .device = v->options->device,
                                      .info = &v->device.info,
                                      .spaces = v->spaces,
                                      .seed = v->options->seed};
    if (v->options->build_only)
        return true;
    return explore_reference_lower(&v->bench, v->options->rules, v->why);
}

/* ---- configurations */

static void report(const struct verifier *v, const struct trial_request *asked,
                   const struct trial_reply *end, const struct lift_str *texts)
{
    char *json = lift_space_json(v->spaces[asked->candidates].space, asked->point);
    struct lift_verify_configuration p = {.term = asked->candidates,
                                          .tunables = json,
                                          .status = end->status,
                                          .reason = end->reason,
                                          .log = trial_log(end, texts),
                                          .resources = end->resources,
                                          .checks = end->checks,
                                          .check_count = end->check_count,
                                          .seconds = trial_median(end)};

    v->options->report(v->options->user, &p);
    free(json);
}

static bool verify_point(const struct verifier *v, int candidates, const int *point)
{
    double seconds = explore_run_seconds(v->problem);
    struct trial_request asked = {
        .parts = TRIAL_BOTH, .candidates = candidates, .alone = true};
    LIFT_SCOPED(lift_str) built = {0}, ran = {0};
    struct trial_reply end;
    bool runs;

    memcpy(asked.point, point, sizeof asked.point);
    runs =
        explore_trial_build(v->builder, &asked, &built, &end) && !v->options->build_only;
    if (runs)
        explore_trial_run(v->runner, &asked, &built, seconds, &ran, &end);
    report(v, &asked, &end, runs ? &ran : &built);
    return end.status == LIFT_TRIAL_OK;
}

static void report_unfit(const struct verifier *v, int candidates)
{
    struct lift_verify_configuration p = {.term = candidates,
                                          .tunables = "",
                                          .status = LIFT_TRIAL_CONSTRAINT,
                                          .reason = v->unfit[candidates],
                                          .log = ""};

    v->options->report(v->options->user, &p);
}

/* Verifies the configurations of a term; returns the number of bad ones. */
static int verify_points(const struct verifier *v, int candidates)
{
    const struct lift_space *space = v->spaces[candidates].space;
    int point[LIFT_SPACE_PARAMS] = {0}, bad = 0;
    struct lift_rng rng;

    if (v->unfit[candidates]) {
        report_unfit(v, candidates);
        return 1;
    }
    lift_rng_seed(&rng, v->options->seed);
    for (int i = 0; i < v->options->points; i++) {
        bool found = lift_space_sample(space, &rng, point);

        LIFT_ASSERT(found);
        bad += !verify_point(v, candidates, point);
        if (lift_space_size(space, 2) == 1)
            break;
    }
    return bad;
}

static enum lift_verify_end verify_terms(struct verifier *v)
{
    int bad = 0;

    v->builder = lift_worker_create(explore_build_serve, &v->bench);
    v->runner = lift_worker_create(explore_run_serve, &v->bench);
    for (int i = 0; i < v->options->term_count; i++)
        bad += verify_points(v, i);
    lift_worker_stop(v->builder);
    lift_worker_stop(v->runner);
    return bad ? LIFT_VERIFY_WRONG : LIFT_VERIFY_OK;
}

static bool runs(const struct verifier *v)
{
    return v->options->build_only || !v->device.info.builds_only ||
           LIFT_FAIL(
               v->why,
               "'%s' is an architecture, not a device: kernels can be built for it, "
               "but not run (--build-only)",
               v->options->device);
}

/* Returns LIFT_VERIFY_OK if the program can be checked, or needs no check. */
static enum lift_verify_end make_ready(const struct verifier *v,
                                       struct lift_error *errors)
{
    if (v->options->build_only
            ? explore_problem_sound(v->problem, v->options->source, errors)
            : explore_problem_ready(v->problem, v->options->source, errors))
        return LIFT_VERIFY_OK;
    if (errors->code == LIFT_ERROR_PROGRAM)
        return LIFT_VERIFY_BAD_PROGRAM;
    lift_str_add(v->why, lift_error_text(errors));
    lift_error_fini(errors);
    return LIFT_VERIFY_FAILED;
}

enum lift_verify_end lift_verify(const struct lift_verify_options *o,
                                 struct lift_error *errors, struct lift_str *why)
{
    struct verifier v = {.options = o, .why = why};
    enum lift_verify_end end;

    v.problem = explore_problem_load(o->source, o->sizes, o->size_count, errors);
    if (!v.problem)
        return LIFT_VERIFY_BAD_PROGRAM;
    end = make_ready(&v, errors);
    if (end == LIFT_VERIFY_OK)
        end = lift_explore_device(o->device, false, &v.device, why) && runs(&v) &&
                      make_spaces(&v) && make_reference(&v)
                  ? verify_terms(&v)
                  : LIFT_VERIFY_FAILED;
    lift_explore_device_fini(&v.device);
    explore_problem_destroy(v.problem);
    return end;
}

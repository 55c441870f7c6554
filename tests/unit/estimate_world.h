/* Estimates of points at will: devices that nothing is run on, a program, candidate
 * spaces. */
#ifndef ESTIMATE_WORLD_H
#define ESTIMATE_WORLD_H

#include "explore/candidate/joint_space.h"
#include "explore/cost/estimate_t.h"
#include "points.h"
#include "problem_world.h"
#include "rules/strategy.h"
#include <stdio.h>
#include <string.h>

static const struct lift_device_info processor = {.name = "processor",
                                                  .arch = "x86_64 avx2",
                                                  .dialect = LIFT_DIALECT_OPENMP,
                                                  .compute_units = 8,
                                                  .simd_width = 8,
                                                  .is_cpu = true};
static const struct lift_device_info gpu = {.name = "gpu",
                                            .arch = "sm_90",
                                            .dialect = LIFT_DIALECT_CUDA,
                                            .compute_units = 100,
                                            .simd_width = 32,
                                            .max_group_size = 1024,
                                            .max_group_dims = {1024, 1024, 64},
                                            .local_bytes = 227 << 10};
static const struct lift_device_info groups = {.name = "groups on a processor",
                                               .arch = "none",
                                               .dialect = LIFT_DIALECT_OPENCL,
                                               .compute_units = 4,
                                               .simd_width = 8,
                                               .max_group_size = 1024,
                                               .max_group_dims = {1024, 1024, 1024},
                                               .local_bytes = 100000,
                                               .is_cpu = true};

struct world {
    struct lift_rules *rules;
    struct explore_problem *problem;
    char program[64];
    int steps;
};

static inline void fresh_steps(struct world *w, const char *program, int steps)
{
    if (w->problem && !strcmp(w->program, program) && w->steps == steps)
        return;
    explore_problem_destroy(w->problem);
    w->problem = load_steps(program, LIFT_F32, steps, NULL, 0);
    w->steps = steps;
    snprintf(w->program, sizeof w->program, "%s", program);
}

static inline void fresh_problem(struct world *w, const char *program)
{
    fresh_steps(w, program, 1);
}

static inline void end(struct world *w)
{
    explore_problem_destroy(w->problem);
    lift_rules_destroy(w->rules);
}

/* The candidate space of a family, or of another configuration (points.h); false
 * if its tunables have no values on this device at the program's own sizes. */
static inline bool make_space(struct world *w, const char *family,
                              const struct lift_device_info *device,
                              struct candidate_space *candidates)
{
    struct lift_steps steps = {0};
    struct lift_str why = {0};
    lift_expr term;
    bool made;

    term = lift_strategy_run(
        w->problem->ir, point_strategy(lift_ir_arena(w->problem->ir), w->rules, family),
        w->problem->root, &steps);
    if (!term)
        fail_msg("'%s' does not apply to '%s'", family, w->program);
    made = candidate_space_make(
        &(struct candidate_space_request){
            .problem = w->problem,
            .device = device,
            .term = term,
            .conditions = {steps.conditions, steps.condition_count}},
        candidates, &why);
    lift_steps_fini(&steps);
    lift_str_fini(&why);
    return made;
}

static inline struct candidate_space space_of(struct world *w, const char *family,
                                              const struct lift_device_info *device)
{
    struct candidate_space candidates;

    assert_true(make_space(w, family, device, &candidates));
    return candidates;
}

/* A point with these values, the others where the space starts. */
static inline bool estimated(struct world *w, const struct candidate_space *candidates,
                             const struct lift_device_info *device, const char *json,
                             struct explore_estimate *out)
{
    struct lift_arena *arena = lift_arena_create();
    const struct lift_joint_expr expr = {.space = candidates->space};
    const struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){&expr, 1});
    struct explore_estimator *e = explore_estimator_create(w->problem, device);
    struct lift_choice choice;
    bool good;

    assert_true(lift_joint_carry_json(joint, json, 0, &choice));
    good = explore_estimate(e, candidates, choice.values, out);
    explore_estimator_destroy(e);
    lift_arena_destroy(arena);
    return good;
}

static inline struct explore_estimate
estimate_at(struct world *w, const struct candidate_space *candidates,
            const struct lift_device_info *device, const char *json)
{
    struct explore_estimate out;

    if (!estimated(w, candidates, device, json, &out))
        fail_msg("%s %s", w->program, lift_prim_info(candidates->term->op)->name);
    return out;
}

#endif

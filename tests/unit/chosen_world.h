/* Databases with one kernel of a wanted kind. */
#ifndef LIFT_TESTS_CHOSEN_WORLD_H
#define LIFT_TESTS_CHOSEN_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/configurations.h"
#include "explore/explore.h"
#include "explore/record.h"
#include "ir/sizes.h"
#include "run/chosen.h"
#include "scratch.h"
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With work-groups. */
static const struct lift_device_info board = {.name = "Test GPU",
                                              .vendor = "Acme",
                                              .runtime = "opencl",
                                              .driver = "",
                                              .arch = "x",
                                              .compiler = "",
                                              .dialect = LIFT_DIALECT_OPENCL,
                                              .compute_units = 80,
                                              .max_group_size = 256,
                                              .local_bytes = 49152,
                                              .global_bytes = 1 << 30};

/* Two steps of which the older one can be overwritten. */
static const char wave[] =
    "size nx = 13, ny = 9\n"
    "param a: f32 = 0.25\n"
    "stencil wave(prev: [[f32]nx]ny, cur: [[f32]nx]ny) -> next =\n"
    "    map2(m -> 2.0f * m.1[1][1] - m.0 + a * (m.1[0][1] + m.1[1][0] + m.1[1][2]\n"
    "        + m.1[2][1] - 4.0f * m.1[1][1]),\n"
    "        zip2(prev, slide2(3, 1, pad2(1, 1, constant 0.0f, cur))))\n"
    "time (prev, cur) <- (cur, next)\n";

static inline bool contains(lift_expr e, enum lift_op op)
{
    if (lift_expr_is(e, op))
        return true;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (contains(lift_expr_child(e, i), op))
            return true;
    return false;
}

/* A kernel of 'text' at 'sizes' that contains all of 'ops' (ended by LIFT_OP_COUNT) and
 * fits a device. */
struct wanted {
    const char *text, *sizes;
    enum lift_op ops[4];
    const struct lift_device_info *device;
    double seconds; /* a launch takes; 0: a millisecond */
};

static inline struct explore_problem *problem_of(const char *text, const char *sizes)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_source source = {"program", text, strlen(text)};
    const struct lift_size_setting *list = NULL;
    struct lift_error errors = {0};
    struct explore_problem *p;
    int count = 0;

    if (sizes)
        assert_true(lift_sizes_parse(arena, sizes, &list, &count, &errors));
    p = explore_problem_load(&source, list, count, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    lift_arena_destroy(arena);
    return p;
}

static inline bool is_wanted(const struct wanted *w, lift_expr term)
{
    for (int i = 0; w->ops[i] != LIFT_OP_COUNT; i++)
        if (!contains(term, w->ops[i]))
            return false;
    return true;
}

static inline bool makes_source(const struct recorder *r,
                                const struct candidate_space *candidates,
                                const int *point)
{
    struct candidate_request request = {.problem = r->problem,
                                        .device = r->device,
                                        .candidates = candidates,
                                        .point = point};
    struct explore_numbers n;
    struct runner_module m = {0};
    struct lift_str why = {0};
    bool good;

    explore_numbers_of(r->problem, candidates, point, &n);
    good = candidate_generate(&request, &n, &m, &why);
    runner_unload(NULL, &m);
    lift_str_fini(&why);
    return good;
}

static inline bool put_leaf(struct recorder *r, int leaf, double seconds)
{
    static const struct lift_db_check check = {LIFT_CHECK_FULL, 0, 1, 0, -1};
    const struct derive_leaf *l = &r->derivation->leaves[leaf];
    struct candidate_space_request request = {.problem = r->problem,
                                              .device = r->device,
                                              .term = r->derivation->nodes[l->node].term,
                                              .conditions = l->conditions};
    struct candidate_space candidates;
    struct lift_db_trial trial = {
        .problem = r->problem_id, .device = r->device_id, .session = r->session};
    struct lift_str why = {0};
    struct lift_rng rng;
    int point[LIFT_SPACE_PARAMS];
    struct lift_hash id;
    char *json;
    bool fits;

    lift_rng_seed(&rng, 3);
    fits = candidate_space_make(&request, &candidates, &why) &&
           lift_space_sample(candidates.space, &rng, point) &&
           makes_source(r, &candidates, point);
    lift_str_fini(&why);
    if (!fits)
        return false;
    json = lift_space_json(candidates.space, point);
    assert_true(
        record_leaf(r, l) &&
        lift_db_put_candidate(r->db, candidates.term->hash, json, &trial.candidate) &&
        lift_db_trial_start(r->db, &trial, &id) &&
        lift_db_trial_finish(r->db, id,
                             &(struct lift_db_end){.status = LIFT_TRIAL_OK,
                                                   .reason = "",
                                                   .checks = &check,
                                                   .check_count = 1,
                                                   .samples = &seconds,
                                                   .sample_count = 1}));
    free(json);
    return true;
}

/* Puts the first kernel of that kind as if it had been explored. */
static inline void put_kernel(const char *db, const struct wanted *w)
{
    struct explore_problem *p = problem_of(w->text, w->sizes);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error error = {0};
    struct recorder r = {
        .db = lift_db_open(db, LIFT_DB_WRITE, &error), .problem = p, .device = w->device};
    bool found = false;

    assert_non_null(r.db);
    r.derivation = derive_create(p, rules, w->device->dialect);
    configurations_add_families(r.derivation, 0);
    assert_true(
        record_problem(&r) &&
        lift_db_session_start(r.db, &(struct lift_db_session){"test", 1, "1 trial", "1"},
                              &r.session));
    for (int i = 0; i < r.derivation->leaf_count && !found; i++)
        found = is_wanted(w, r.derivation->nodes[r.derivation->leaves[i].node].term) &&
                put_leaf(&r, i, w->seconds > 0 ? w->seconds : 1e-3);
    assert_true(found);
    assert_true(lift_db_session_end(r.db, r.session, "budget"));
    derive_destroy(r.derivation);
    lift_db_close(r.db);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

#endif

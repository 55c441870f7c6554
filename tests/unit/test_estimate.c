/* Static estimates: every family has one, and estimates distinguish good kernels from bad
 * ones. The tested differences are far larger than the error of estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate_world.h"
#include "explore/candidate.h"
#include "explore/candidate/joint_space.h"
#include "explore/candidate/model_climb.h"
#include "explore/configurations.h"
#include "explore/cost/estimate_t.h"
#include "explore/cost/traffic.h"
#include "rules/strategy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 3, LINE = 512 };

static bool is_number(double x)
{
    return isfinite(x) && x >= 0;
}

/* Estimates of infeasible points may be infinite: spaces count fewer slots of circular
 * buffers than the kernel has. */
static void check_parts(const char *what, const struct explore_estimate *e,
                        const struct lift_device_info *device)
{
    bool fits = e->local_bytes <= (double)device->local_bytes || !device->local_bytes;
    bool good = is_number(e->compute) && is_number(e->overhead) && e->parallel >= 1 &&
                e->contiguous >= 0 && e->contiguous <= 1 + 1e-9 &&
                is_number(e->private_bytes) && is_number(e->local_bytes) &&
                is_number(e->resident);

    for (int i = 0; i < ESTIMATE_LEVELS; i++)
        good = good && is_number(e->levels[i]) && is_number(e->bytes[i]);
    if (!good || (fits && !isfinite(e->seconds)) || e->seconds <= 0)
        fail_msg("%s: %g s, compute %g, levels %g %g %g, overhead %g, contiguous %g",
                 what, e->seconds, e->compute, e->levels[0], e->levels[1], e->levels[2],
                 e->overhead, e->contiguous);
}

/* Some points of the space of a family, each twice: both estimates and both cached ones
 * are equal. Returns false without points. */
static int check_family(struct world *w, const char *family,
                        const struct lift_device_info *device)
{
    struct candidate_space candidates;
    struct explore_estimator *e;
    struct explore_estimate one, two;
    int point[LIFT_SPACE_PARAMS] = {0};
    struct lift_rng rng;
    char what[160];

    if (!make_space(w, family, device, &candidates))
        return 0;
    e = explore_estimator_create(w->problem, device);
    lift_rng_seed(&rng, 1);
    snprintf(what, sizeof what, "%s of %s on %s", family, w->program, device->name);
    for (int i = 0; i < DRAWS && lift_space_sample(candidates.space, &rng, point); i++) {
        explore_estimate(e, &candidates, point, &one);
        check_parts(what, &one, device);
        explore_estimate(e, &candidates, point, &two);
        assert_true(one.seconds == two.seconds);
        for (int twice = 0; twice < 2; twice++)
            assert_true(explore_guess(e, &candidates, point) ==
                        one.seconds * (1 + one.code / 10000));
    }
    explore_estimator_destroy(e);
    return 1;
}

/* The lines of tests/cli/families.txt: program, point, device. */
static void every_family_has_an_estimate(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    char path[512], line[LINE];
    int lines = 0, checked = 0;
    FILE *file;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/cli/families.txt", getenv("LIFT_SOURCE_DIR"));
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char program[64], point[200], device[16];
        const char *steps;

        if (line[0] == '#' ||
            sscanf(line, "%63s %199s %15s", program, point, device) != 3)
            continue;
        lines++;
        steps = strstr(line, "--steps ");
        fresh_steps(&w, program, steps ? atoi(steps + strlen("--steps ")) : 1);
        if (!strcmp(device, "host"))
            checked += check_family(&w, point, &processor);
        else
            checked += check_family(&w, point, &gpu) | check_family(&w, point, &groups);
    }
    fclose(file);
    assert_true(lines > 100);
    assert_int_equal(checked, lines);
    end(&w);
}

/* ---- comparisons */

static struct candidate_space family_space(struct world *w, const char *family)
{
    struct lift_str why = {0};
    struct candidate_space candidates = {.term = NULL};
    lift_expr term =
        configurations_term(w->problem, w->rules, LIFT_DIALECT_OPENMP, family, &why);

    if (!term || !candidate_space_make(
                     &(struct candidate_space_request){
                         .problem = w->problem, .device = &processor, .term = term},
                     &candidates, &why))
        fail_msg("%s", lift_str_get(&why));
    lift_str_fini(&why);
    return candidates;
}

static void threads_beat_one(void **state)
{
    static const char *const programs[] = {"jacobi3d7", "acoustic", "srad1", "gaussian"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct world w = {.rules = lift_rules_shipped()};
        struct candidate_space one, many;
        struct explore_estimate slow, fast;

        fresh_problem(&w, programs[i]);
        one = family_space(&w, "sequential");
        many = family_space(&w, "omp_rows");
        slow = estimate_at(&w, &one, &processor, "{}");
        fast = estimate_at(&w, &many, &processor, "{}");
        assert_true(slow.parallel == 1);
        assert_true(fast.parallel == processor.compute_units);
        assert_true(fast.seconds < slow.seconds / 2);
        end(&w);
    }
}

/* Neighbours in memory for neighbouring work-items: the group along x or along y. */
static void neighbours_side_by_side_are_faster(void **state)
{
    static const char *const programs[] = {"acoustic_iso", "star3d4r", "heat"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct world w = {.rules = lift_rules_shipped()};
        struct candidate_space candidates;
        struct explore_estimate along, across;

        fresh_problem(&w, programs[i]);
        candidates = space_of(&w, "gmem", &gpu);
        along = estimate_at(&w, &candidates, &gpu,
                            "{\"block_x\": 64, \"block_y\": 4, \"block_z\": 1}");
        across = estimate_at(&w, &candidates, &gpu,
                             "{\"block_x\": 1, \"block_y\": 256, \"block_z\": 1}");
        assert_true(along.contiguous > 0.7);
        assert_true(across.contiguous < 0.4);
        assert_true(along.seconds < across.seconds / 2);
        end(&w);
    }
}

/* Compilers vectorise around many unrolled loads, but not around reductions that they
 * must unroll. */
static void long_sums_are_vectors_if_written_out(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space loops, straight;

    (void)state;
    fresh_problem(&w, "box3d2r");
    loops = space_of(&w, "omp_rows", &processor);
    straight = space_of(&w, "omp_rows,unrolling=full", &processor);
    assert_true(estimate_at(&w, &straight, &processor, "{}").seconds <
                estimate_at(&w, &loops, &processor, "{}").seconds / 2);
    end(&w);
}

/* The stream along x has distant columns in adjacent threads. */
static void rows_beat_columns(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space rows, columns;
    struct explore_estimate good, bad;

    (void)state;
    fresh_problem(&w, "hotspot2d");
    rows = space_of(&w, "omp_rows", &processor);
    columns = space_of(&w, "omp_shift_along_x", &processor);
    good = estimate_at(&w, &rows, &processor, "{}");
    bad = estimate_at(&w, &columns, &processor, "{}");
    assert_true(good.seconds < bad.seconds);
    end(&w);
}

/* Compulsory traffic is the least, and a kernel that reads rows comes near to it. */
static void traffic_is_at_least_compulsory(void **state)
{
    static const char *const programs[] = {"jacobi3d7", "star3d4r", "box3d2r", "heat"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct world w = {.rules = lift_rules_shipped()};
        struct candidate_space candidates;
        struct explore_estimate e;

        fresh_problem(&w, programs[i]);
        candidates = space_of(&w, "gmem", &gpu);
        e = estimate_at(&w, &candidates, &gpu,
                        "{\"block_x\": 64, \"block_y\": 4, \"block_z\": 1}");
        assert_true(e.bytes[2] > 0.9 * (double)w.problem->bytes);
        assert_true(e.bytes[2] < 2.5 * (double)w.problem->bytes);
        assert_true(e.bytes[1] >= 0.99 * e.bytes[2]);
        end(&w);
    }
}

static void local_memory_and_groups_are_counted(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate small, large;

    (void)state;
    fresh_problem(&w, "acoustic_iso");
    candidates = space_of(&w, "smem", &gpu);
    small =
        estimate_at(&w, &candidates, &gpu,
                    "{\"tile_z\": 4, \"tile_y\": 4, \"tile_x\": 32, \"block_x\": 32}");
    large =
        estimate_at(&w, &candidates, &gpu,
                    "{\"tile_z\": 12, \"tile_y\": 12, \"tile_x\": 32, \"block_x\": 32}");
    assert_true(small.local_bytes >= 4 * (4 + 8) * (4 + 8) * (32 + 8));
    assert_true(large.local_bytes > small.local_bytes);
    assert_true(large.resident < small.resident);
    end(&w);
}

/* Rows of threads exchange registers through shared memory, which the device must have;
 * threads of one row need none. */
static void exchange_between_rows_needs_local_memory(void **state)
{
    static const char rows[] = "intermediates=stored,temporal=register_strips,unrolling="
                               "addition_chains,parallel=blocks";
    static const char numbers[] =
        "{\"index_bits\":64,\"slab_z\":64,\"vectors_x\":1,\"points_y\":2,\"threads_y\":8,"
        "\"block_x\":32,\"block_y\":8}";
    struct lift_device_info small = gpu;
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate e;

    (void)state;
    fresh_steps(&w, "star2d1r", 3);
    candidates = space_of(&w, rows, &gpu);
    assert_true(lift_nat_is(candidates.shown, 0));
    fresh_steps(&w, "star3d1r", 3);
    candidates = space_of(&w, rows, &gpu);
    assert_false(lift_nat_is(candidates.shown, 0));
    e = estimate_at(&w, &candidates, &gpu, numbers);
    small.local_bytes = (int64_t)e.local_bytes - 1;
    assert_false(estimated(&w, &candidates, &small, numbers, &e));
    end(&w);
}

/* One plane of u with its halo and one each of v and vp, plus the planes of two more
 * steps. Copies ahead hide latency that a load before each step does not. */
static void circular_buffers_hold_read_planes(void **state)
{
    static const char at[] = "{\"tile_z\": 8, \"tile_y\": 16, \"tile_x\": 64, "
                             "\"block_x\": 16, \"block_y\": 16}";
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space ahead, plain;
    struct explore_estimate fast, slow;

    (void)state;
    fresh_problem(&w, "acoustic_iso");
    ahead = space_of(&w, "star_split_plane_first_vector4", &gpu);
    plain = space_of(&w, "star_split_plane_first", &gpu);
    fast = estimate_at(&w, &ahead, &gpu, at);
    slow = estimate_at(&w, &plain, &gpu, at);
    assert_int_equal(fast.local_bytes, 3 * 4 * ((64 + 8) * (16 + 8) + 2 * 64 * 16));
    assert_true(2 * fast.seconds < slow.seconds);
    end(&w);
}

/* Requesting more resident groups raises occupancy, until registers are spilled. */
static void residents_that_are_asked_for(void **state)
{
    struct lift_device_info device = gpu;
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate any, more;

    (void)state;
    device.unit_items = 2048;
    fresh_problem(&w, "acoustic_iso");
    candidates = space_of(&w, "shift_vector4", &device);
    any = estimate_at(&w, &candidates, &device, "{\"block_x\": 32, \"block_y\": 8}");
    more = estimate_at(&w, &candidates, &device,
                       "{\"block_x\": 32, \"block_y\": 8, \"min_blocks\": 8}");
    assert_true(any.resident < 8);
    assert_true(more.resident == 8);
    assert_true(more.levels[0] > 1.1 * any.levels[0]);
    end(&w);
}

static bool has_value(const struct candidate_space *candidates, const char *name,
                      int64_t value)
{
    for (int i = 0; i < lift_space_param_count(candidates->space); i++) {
        const struct lift_param *p = lift_space_param(candidates->space, i);

        for (int k = 0; k < p->count; k++)
            if (!strcmp(p->name, name) && p->values[k] == value)
                return true;
    }
    return false;
}

/* Rows of 4094 points: processors are offered groups that hang over no end of them. */
static void groups_that_divide_rows(void **state)
{
    struct lift_device_info device = groups;
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates, other;
    struct explore_estimate whole, masked;

    (void)state;
    device.max_group_size = 4096;
    device.max_group_dims[0] = 4096;
    fresh_problem(&w, "jacobi2d5");
    candidates = space_of(&w, "gmem_faces_unrolled", &device);
    other = space_of(&w, "gmem_faces_unrolled", &gpu);
    assert_true(has_value(&candidates, "block_x", 4094));
    assert_true(has_value(&candidates, "block_x", 4096));
    assert_false(has_value(&other, "block_x", 2047));
    whole = estimate_at(&w, &candidates, &device, "{\"block_x\": 2047, \"block_y\": 1}");
    masked = estimate_at(&w, &candidates, &device, "{\"block_x\": 2048, \"block_y\": 1}");
    assert_true(whole.compute < 0.7 * masked.compute);
    end(&w);
}

/* Lanes are the threads of a whole row of a tile, excluding iterations in which fewer
 * threads share it. There are no lanes where neighbours are clamped. */
static void lanes_of_groups(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate lanes, turns, clamped;

    (void)state;
    fresh_problem(&w, "jacobi2d5");
    candidates = space_of(&w, "tiled", &groups);
    lanes =
        estimate_at(&w, &candidates, &groups,
                    "{\"tile_y\": 4, \"tile_x\": 256, \"block_x\": 256, \"block_y\": 4}");
    turns =
        estimate_at(&w, &candidates, &groups,
                    "{\"tile_y\": 4, \"tile_x\": 256, \"block_x\": 1, \"block_y\": 4}");
    assert_true(2 * lanes.compute < turns.compute);
    fresh_problem(&w, "hotspot2d");
    candidates = space_of(&w, "gmem_faces", &groups);
    lanes = estimate_at(&w, &candidates, &groups, "{\"block_x\": 512, \"block_y\": 1}");
    candidates = space_of(&w, "gmem", &groups);
    clamped = estimate_at(&w, &candidates, &groups, "{\"block_x\": 512, \"block_y\": 1}");
    assert_true(1.5 * lanes.compute < clamped.compute);
    end(&w);
}

/* NVIDIA's OpenCL has registers limited by a flag. */
static void registers_by_flags(void **state)
{
    struct lift_device_info device = gpu;
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS];

    (void)state;
    device.dialect = LIFT_DIALECT_OPENCL;
    device.unit_items = 2048;
    device.unit_registers = 65536;
    fresh_problem(&w, "jacobi2d5");
    candidates = space_of(&w, "gmem", &device);
    assert_true(lift_space_next(candidates.space, point, true));
    do {
        const char *flags = candidate_flags(
            &(struct candidate_request){w.problem, &device, &candidates, point, false});
        bool found;
        int64_t items = lift_space_value(candidates.space, point, "block_x", &found) *
                        lift_space_value(candidates.space, point, "block_y", &found);
        int64_t asked = lift_space_value(candidates.space, point, "min_blocks", &found);
        const char *limit = strstr(flags, "-cl-nv-maxrregcount=");

        assert_true(found && asked * items <= 2048);
        assert_int_equal(limit != NULL, asked > 0);
        if (limit && asked * items > 256)
            assert_in_range(strtol(strchr(limit, '=') + 1, NULL, 10),
                            65536 / (asked * items) - 7, 65536 / (asked * items));
    } while (lift_space_next(candidates.space, point, false));
    end(&w);
}

/* ---- straight-line code */

/* Two unrolled loops, the steps of the outer one between those of the inner one: each
 * iteration has a separate reference. */
static void straight_loops_repeat_references(void **state)
{
    static const double expected[] = {0, 4, 8, 400, 404, 408};
    static const struct sketch_index at = {.depth = 3, .by = {0, 1, 100}};
    struct sketch *s = calloc(1, sizeof *s);
    struct body *b = calloc(1, sizeof *b);

    (void)state;
    assert_true(s && b);
    s->loops[0] = (struct sketch_loop){.parent = -1, .depth = -1, .extent = 1};
    s->loops[1] = (struct sketch_loop){.kind = SKETCH_SEQ, .extent = 7};
    s->loops[2] =
        (struct sketch_loop){.parent = 1, .depth = 1, .kind = SKETCH_UNROLL, .extent = 3};
    s->loops[3] =
        (struct sketch_loop){.parent = 2, .depth = 2, .kind = SKETCH_UNROLL, .extent = 2};
    s->loop_count = 4;
    s->buffers[0] = (struct sketch_buffer){SKETCH_GLOBAL, 4096, 4};
    s->buffer_count = 1;
    s->accesses[0] = (struct sketch_access){.loop = 3, .kept = -1, .at = &at};
    s->access_count = 1;
    assert_true(body_make(s, 1, false, b));
    assert_int_equal(b->group_count, 1);
    assert_int_equal(b->groups[0].count, 6);
    for (int i = 0; i < 6; i++)
        assert_float_equal(b->groups[0].first[i], expected[i], 0);
    free(s);
    free(b);
}

/* Four adjacent points of a function of an element and of the next one: five elements are
 * computed. One is computed where a stream steps to the next element and unrolling fixes
 * its window. */
static void computed_elements_are_shared(void **state)
{
    static const struct sketch_index first = {.depth = 2, .by = {1, 1}};
    static const struct sketch_index next = {.base = 1, .depth = 2, .by = {1, 1}};
    struct sketch *s = calloc(1, sizeof *s);
    struct body *b = calloc(1, sizeof *b);

    (void)state;
    assert_true(s && b);
    s->loops[0] = (struct sketch_loop){.parent = -1, .depth = -1, .extent = 1};
    s->loops[1] = (struct sketch_loop){.kind = SKETCH_STREAM, .extent = 7};
    s->loops[2] = (struct sketch_loop){
        .parent = 1, .depth = 1, .kind = SKETCH_UNROLL, .extent = 4, .ops = 22};
    s->loop_count = 3;
    s->buffers[0] = (struct sketch_buffer){SKETCH_GLOBAL, 4096, 4};
    s->buffer_count = 1;
    s->accesses[0] = (struct sketch_access){.loop = 2, .kept = 0, .at = &first};
    s->accesses[1] = (struct sketch_access){.loop = 2, .kept = 0, .at = &next};
    s->access_count = 2;
    for (int i = 0; i < 2; i++)
        s->computed[i] = (struct sketch_computed){.loop = 2, .load = i, 1, 10};
    s->computed_count = 2;
    assert_true(body_make(s, 1, true, b));
    assert_float_equal(b->ops, 4 * 22 - 3 * 10, 0);
    s->loops[1].fixed = true;
    assert_true(body_make(s, 1, true, b));
    assert_float_equal(b->ops, 4 * 22 - 7 * 10, 0);
    free(s);
    free(b);
}

/* ---- vectors of the term itself */

/* Non-temporal stores need no load of the line: 8 bytes a point, not 12. */
static void stores_past_the_caches_load_nothing(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space plain, past;
    struct explore_estimate slow, fast;
    double points;

    (void)state;
    fresh_problem(&w, "jacobi2d5");
    points = (double)w.problem->points;
    plain = space_of(&w, "omp_vector_rows,halo=allocated,pitch=aligned", &processor);
    past = space_of(&w,
                    "omp_vector_rows,halo=allocated,pitch=aligned,stores=non_temporal,"
                    "plane_pitch=padded",
                    &processor);
    slow = estimate_at(&w, &plain, &processor, "{}");
    fast = estimate_at(&w, &past, &processor, "{}");
    assert_float_equal((slow.bytes[2] - fast.bytes[2]) / points, 4, 0.2);
    assert_true(fast.bytes[2] / points > 7.5);
    end(&w);
}

/* Rows that are fetched ahead are not waited for; other parts are the same. */
static void rows_ahead_are_not_waited_for(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate wait, ahead;

    (void)state;
    fresh_problem(&w, "jacobi3d7");
    candidates = space_of(&w, "omp_vector_rows", &processor);
    assert_true(has_value(&candidates, "prefetch_rows", 0) &&
                has_value(&candidates, "prefetch_rows", 1));
    wait = estimate_at(&w, &candidates, &processor, "{\"prefetch_rows\": 0}");
    ahead = estimate_at(&w, &candidates, &processor, "{\"prefetch_rows\": 1}");
    assert_true(ahead.levels[2] < wait.levels[2]);
    assert_true(ahead.bytes[2] == wait.bytes[2] && ahead.compute == wait.compute);
    end(&w);
}

/* Tests of rows and columns in a block are masks of its vectors. */
static void tests_leave_vectors_of_the_term(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate e;

    (void)state;
    fresh_problem(&w, "jacobi2d5");
    candidates = space_of(&w, "omp_vector_blocks", &processor);
    e = estimate_at(&w, &candidates, &processor, "{}");
    assert_true(e.contiguous > 0.9);
    end(&w);
}

/* ---- the space of an exploration */

static double some_guess(void *user, const struct lift_choice *choice)
{
    return *(const double *)user + choice->expr;
}

static void spaces_tell_guesses(void **state)
{
    static const int64_t values[] = {1, 2};
    const struct lift_param param = {"a", values, 2, 0};
    struct lift_arena *arena = lift_arena_create();
    const struct lift_space *space = lift_space_create(arena, &param, 1, NULL, 0);
    const struct lift_joint_expr exprs[] = {{.space = space}, {.space = space}};
    struct lift_choice choice = {.expr = 1};
    double base = 41;
    const struct lift_joint *with = lift_joint_create(
        arena, &(struct lift_joint_parts){
                   .exprs = exprs, .count = 2, .guess = some_guess, .guess_user = &base});
    const struct lift_joint *without =
        lift_joint_create(arena, &(struct lift_joint_parts){.exprs = exprs, .count = 2});

    (void)state;
    assert_true(lift_joint_guesses(with));
    assert_float_equal(lift_joint_guessed(with, &choice), 42, 0);
    assert_false(lift_joint_guesses(without));
    assert_true(isinf(lift_joint_guessed(without, &choice)));
    lift_arena_destroy(arena);
}

/* ---- the most promising expressions */

enum { HILL_PARAMS = 5, HILL_VALUES = 8 };

/* Far from the point where an expression starts, one value of each is the best; counts
 * how often it is asked. */
struct hill {
    const struct lift_joint *joint;
    int asked;
};

static double hill_guess(void *user, const struct lift_choice *choice)
{
    static const int best[HILL_PARAMS] = {6, 1, 7, 3, 5};
    struct hill *h = user;
    double guessed = 1;

    h->asked++;
    if (choice->expr == 1)
        return INFINITY;
    for (int i = 0; i < HILL_PARAMS; i++)
        guessed += (choice->values[i] - best[i]) * (choice->values[i] - best[i]);
    return guessed;
}

/* Three expressions: a hill with a bound on the product of the first two, the same
 * without estimates, and one without points. */
static void make_hill(struct lift_arena *arena, struct lift_nats *nats, struct hill *h)
{
    static const char *const names[HILL_PARAMS] = {"a", "b", "c", "d", "e"};
    static const int64_t values[HILL_VALUES] = {1, 2, 4, 8, 16, 32, 64, 128};
    struct lift_param params[HILL_PARAMS];
    struct lift_joint_expr exprs[3] = {{0}};
    struct lift_constraint limit = {.kind = LIFT_CONSTRAINT_LE, .why = "limit"};

    for (int i = 0; i < HILL_PARAMS; i++)
        params[i] = (struct lift_param){
            .name = names[i], .values = values, .count = HILL_VALUES, .start = 1};
    limit.a = lift_nat_mul(lift_nat_var(nats, "a", LIFT_VAR_TUNABLE, 1, 128),
                           lift_nat_var(nats, "b", LIFT_VAR_TUNABLE, 1, 128));
    limit.b = lift_nat_const(nats, 128);
    exprs[0].space = exprs[1].space =
        lift_space_create(arena, params, HILL_PARAMS, &limit, 1);
    limit.b = lift_nat_const(nats, 0);
    exprs[2].space = lift_space_create(arena, params, HILL_PARAMS, &limit, 1);
    h->joint = lift_joint_create(
        arena, &(struct lift_joint_parts){
                   .exprs = exprs, .count = 3, .guess = hill_guess, .guess_user = h});
}

/* The best of the start and of the generator's samples. */
static double best_unclimbed(const struct hill *h, uint64_t seed)
{
    struct lift_choice choice;
    struct lift_rng rng;
    double best;

    lift_rng_seed(&rng, seed);
    assert_true(lift_joint_start(h->joint, 0, &choice));
    best = lift_joint_guessed(h->joint, &choice);
    for (int i = 0; i < MODEL_CLIMB_SAMPLES; i++) {
        assert_true(lift_joint_sample_in(h->joint, 0, &rng, &choice));
        best = fmin(best, lift_joint_guessed(h->joint, &choice));
    }
    return best;
}

static void guesses_are_climbed(void **state)
{
    enum {
        MOST = 1 + MODEL_CLIMB_SAMPLES + MODEL_CLIMB_ROUNDS * MODEL_CLIMB_MOVES,
        SEEDS = 50
    };
    struct lift_arena *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    struct hill h = {0};
    double before = 0, after = 0;

    (void)state;
    make_hill(arena, nats, &h);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double unclimbed = best_unclimbed(&h, seed);
        struct climbed_configuration best, again;
        struct lift_rng rng;

        lift_rng_seed(&rng, seed);
        h.asked = 0;
        assert_true(model_climb_find(h.joint, 0, INFINITY, INFINITY, &rng, &best));
        assert_in_range(h.asked, MODEL_CLIMB_SAMPLES, MOST);
        assert_int_equal(best.choice.expr, 0);
        assert_true(lift_joint_valid(h.joint, &best.choice));
        assert_float_equal(lift_joint_guessed(h.joint, &best.choice), best.guessed, 0);
        assert_true(best.guessed <= unclimbed);
        lift_rng_seed(&rng, seed);
        assert_true(model_climb_find(h.joint, 0, INFINITY, INFINITY, &rng, &again));
        assert_true(lift_choice_equal(&best.choice, &again.choice));
        h.asked = 0;
        assert_true(model_climb_find(h.joint, 0, INFINITY, 0, &rng, &again));
        assert_in_range(h.asked, 1, 1 + MODEL_CLIMB_SAMPLES);
        before += unclimbed;
        after += best.guessed;
    }
    assert_true(after < before / 3);
    lift_nats_fini(nats);
    lift_arena_destroy(arena);
}

/* Threads along one side of a block equal that side, and at most 48 points fit: shapes
 * with as many points have equal estimates. */
static double by_points(void *user, const struct lift_choice *choice)
{
    static const int64_t sides[] = {4, 6, 8, 12, 16, 24}, points[] = {1, 2, 3, 4, 6, 8};

    (void)user;
    return 1.0 / (double)(sides[choice->values[0]] * points[choice->values[2]]);
}

static void other_shapes_are_listed(void **state)
{
    static const int64_t sides[] = {4, 6, 8, 12, 16, 24}, points[] = {1, 2, 3, 4, 6, 8};
    const struct lift_param params[] = {
        {"side", sides, 6}, {"threads", sides, 6}, {"points", points, 6}};
    struct lift_arena *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    lift_nat side = lift_nat_var(nats, "side", LIFT_VAR_TUNABLE, 1, 24),
             threads = lift_nat_var(nats, "threads", LIFT_VAR_TUNABLE, 1, 24),
             each = lift_nat_var(nats, "points", LIFT_VAR_TUNABLE, 1, 8);
    const struct lift_constraint constraints[] = {
        {.kind = LIFT_CONSTRAINT_LE, .a = side, .b = threads, .why = "tied"},
        {.kind = LIFT_CONSTRAINT_LE, .a = threads, .b = side, .why = "tied"},
        {.kind = LIFT_CONSTRAINT_LE,
         .a = lift_nat_mul(side, each),
         .b = lift_nat_const(nats, 48),
         .why = "registers"}};
    const struct lift_joint_expr expr = {
        .space = lift_space_create(arena, params, 3, constraints, 3)};
    const struct lift_joint *joint = lift_joint_create(
        arena,
        &(struct lift_joint_parts){.exprs = &expr, .count = 1, .guess = by_points});
    const struct climbed_configuration best = {{0, {2, 2, 4}}, 1.0 / 48};
    struct climbed_configuration out[4];

    (void)state;
    assert_int_equal(model_climb_shapes(joint, &best, out, 4), 3);
    for (int i = 0; i < 3; i++)
        assert_true(out[i].choice.values[0] == out[i].choice.values[1]);
    assert_true(out[0].guessed <= out[1].guessed && out[1].guessed <= out[2].guessed);
    assert_true(lift_choice_equal(&out[0].choice, &(struct lift_choice){0, {3, 3, 3}}) ||
                lift_choice_equal(&out[1].choice, &(struct lift_choice){0, {3, 3, 3}}));
    assert_int_equal(model_climb_shapes(joint, &best, out, 1), 1);
    lift_nats_fini(nats);
    lift_arena_destroy(arena);
}

/* Neither an expression without estimates nor one without points. */
static void nothing_is_promised_without_guesses(void **state)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    struct hill h = {0};
    struct climbed_configuration best;
    struct lift_rng rng;

    (void)state;
    make_hill(arena, nats, &h);
    lift_rng_seed(&rng, 1);
    assert_false(model_climb_find(h.joint, 1, INFINITY, INFINITY, &rng, &best));
    assert_in_range(h.asked, 1, 1 + MODEL_CLIMB_DOUBTS);
    h.asked = 0;
    assert_false(model_climb_find(h.joint, 2, INFINITY, INFINITY, &rng, &best));
    assert_int_equal(h.asked, 0);
    lift_nats_fini(nats);
    lift_arena_destroy(arena);
}

/* Data sheets: an H200 ends 66.9 and 33.5 TFlop/s at its highest clock. */
static void ceilings_by_architecture(void **state)
{
    struct explore_ceilings h200 = explore_ceilings("sm_90", 132, "f32", 1980),
                            twice = explore_ceilings("sm_90", 132, "f64", 1980),
                            core = explore_ceilings("x86_64 avx512f", 1, "f32", 2500),
                            unknown = explore_ceilings("tpu", 8, "f32", 1000);

    (void)state;
    assert_true(fabs(h200.gflops - 66908.16) < 0.01);
    assert_true(fabs(twice.gflops - h200.gflops / 2) < 0.01);
    assert_true(fabs(core.gflops - 160) < 1e-9);
    assert_true(h200.l2_gbs > 4000 && core.l2_gbs > 0);
    assert_true(unknown.gflops == 0 && unknown.l2_gbs == 0);
    assert_true(explore_ceilings("sm_90", 132, "f32", 0).gflops == 0);
    assert_true(explore_ceilings("sm_90", -1, "f32", 1980).l2_gbs == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_has_an_estimate),
        cmocka_unit_test(threads_beat_one),
        cmocka_unit_test(neighbours_side_by_side_are_faster),
        cmocka_unit_test(long_sums_are_vectors_if_written_out),
        cmocka_unit_test(rows_beat_columns),
        cmocka_unit_test(traffic_is_at_least_compulsory),
        cmocka_unit_test(stores_past_the_caches_load_nothing),
        cmocka_unit_test(rows_ahead_are_not_waited_for),
        cmocka_unit_test(tests_leave_vectors_of_the_term),
        cmocka_unit_test(local_memory_and_groups_are_counted),
        cmocka_unit_test(exchange_between_rows_needs_local_memory),
        cmocka_unit_test(circular_buffers_hold_read_planes),
        cmocka_unit_test(residents_that_are_asked_for),
        cmocka_unit_test(groups_that_divide_rows),
        cmocka_unit_test(lanes_of_groups),
        cmocka_unit_test(registers_by_flags),
        cmocka_unit_test(straight_loops_repeat_references),
        cmocka_unit_test(computed_elements_are_shared),
        cmocka_unit_test(spaces_tell_guesses),
        cmocka_unit_test(guesses_are_climbed),
        cmocka_unit_test(other_shapes_are_listed),
        cmocka_unit_test(nothing_is_promised_without_guesses),
        cmocka_unit_test(ceilings_by_architecture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every low-level expression of the kernel families equals its program, and nests its
 * levels legally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate_space.h"
#include "explore/configurations.h"
#include "meaning.h"
#include "problem_world.h"
#include "rules/strategy.h"
#include <stdlib.h>
#include <string.h>

static const char blur[] = "size n = 64\n"
                           "stencil blur(x: [f32]n) -> out =\n"
                           "    map(w -> reduce((a, b) -> a + b, 0.0f, w),\n"
                           "        slide(3, 1, pad(1, 1, clamp, x)))\n";

static const char borders[] = "size nx = 64, ny = 48\n"
                              "stencil borders(g: [[f32]nx]ny) -> out =\n"
                              "    inset2(1, 1, g, map2(w -> 0.25f * (w[0][1] + w[1][0] "
                              "+ w[1][2] + w[2][1]) - w[1][1],\n"
                              "        slide2(3, 1, g)))\n";

static const char box[] = "size nx = 256, ny = 256, nz = 256\n"
                          "stencil box(g: [[[f32]nx]ny]nz) -> out =\n"
                          "    inset3(1, 1, g, map3(w -> w[0][1][2] - w[2][1][0],\n"
                          "        slide3(3, 1, g)))\n";

static const char room[] =
    "size nx = 32, ny = 32, nz = 32\n"
    "stencil room(prev: [[[f32]nx]ny]nz, cur: [[[f32]nx]ny]nz) -> next =\n"
    "    map3(t -> 2.0f * t.1[1][1][1] - t.0 + 0.1f * (t.1[0][1][1] + t.1[2][1][1] +\n"
    "        t.1[1][0][1] + t.1[1][1][2]),\n"
    "        zip3(prev, slide3(3, 1, pad3(1, 1, constant 0.0f, cur))))\n";

static const char two_outputs[] =
    "size nx = 40, ny = 24\n"
    "stencil pair(g: [[f32]nx]ny) -> (sum, difference) =\n"
    "    unzip2(map2(w -> (w[1][0] + w[1][2], w[0][1] - w[2][1]),\n"
    "        slide2(3, 1, pad2(1, 1, wrap, g))))\n";

static const char in_two[] =
    "size nx = 40, ny = 24\n"
    "stencil two(g: [[f32]nx]ny) -> out =\n"
    "    map2(w -> w[1][0] + w[0][1], slide2(3, 1, pad2(1, 1, wrap,\n"
    "        toGlobal(map2(e -> 2.0f * e, g)))))\n";

static const char twice[] =
    "size nx = 40, ny = 24\n"
    "fun step(u) = map2(w => 0.25 * (w[0][1] + w[1][0] + w[1][2] + w[2][1]),\n"
    "    slide2(3, 1, pad2(1, 1, clamp, u)))\n"
    "stencil twice(u: [[f32]nx]ny) -> out = step(step(u))\n";

static const struct lift_device_info host = {.name = "host",
                                             .arch = "x86_64 avx512f",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .local_bytes = 1 << 20};

/* ---- nestings */

struct around {
    int par, simd;
    bool glb[3], wrg[3], lcl[3];
};

static bool any(const bool dims[3])
{
    return dims[0] || dims[1] || dims[2];
}

/* Adds the level of a loop to those around it; false if it may not stand there. */
static bool enter(struct around *a, lift_expr map)
{
    int dim = map->u.prim.attrs.at[0];

    switch (map->op) {
    case LIFT_MAP_PAR:
    case LIFT_MAP_TASK:
        return a->simd == 0 && a->par++ == 0;
    case LIFT_MAP_SIMD:
    case LIFT_MAP_VEC:
        return a->simd++ == 0;
    case LIFT_MAP_GLB:
        if (a->glb[dim] || any(a->wrg) || any(a->lcl))
            return false;
        return a->glb[dim] = true;
    case LIFT_MAP_WRG:
        if (a->wrg[dim] || any(a->glb) || any(a->lcl))
            return false;
        return a->wrg[dim] = true;
    case LIFT_MAP_LCL:
        if (a->lcl[dim] || any(a->glb) || !any(a->wrg))
            return false;
        return a->lcl[dim] = true;
    default:
        return map->op == LIFT_MAP_SEQ || map->op == LIFT_MAP_UNROLL;
    }
}

static void assert_legal(lift_expr term, enum lift_dialect dialect)
{
    struct lift_loops all = {0};

    lift_loops_find(term, false, &all);
    assert_false(all.too_deep);
    assert_false(lift_expr_mentions(term, LIFT_REDUCE));
    for (int i = 0; i < all.count; i++) {
        struct around a = {.par = 0};
        int chain[64], count = 0;

        for (int at = i; at >= 0; at = all.items[at].parent)
            chain[count++] = at;
        if (all.items[i].storage == LIFT_TO_LOCAL ||
            all.items[i].storage == LIFT_TO_PRIVATE)
            a.wrg[0] = a.wrg[1] = a.wrg[2] = true;
        while (count-- > 0)
            assert_true(enter(&a, all.items[chain[count]].map));
        assert_true(dialect == LIFT_DIALECT_OPENCL ? !a.par && !a.simd
                                                   : !any(a.glb) && !any(a.lcl));
    }
    lift_loops_fini(&all);
}

/* ---- meanings */

static void check_leaf(const struct explore_problem *p, const struct derivation *d,
                       int leaf, const struct lift_device_info *device,
                       struct lift_rng *rng)
{
    struct candidate_space candidates;
    struct lift_str why = {0};
    int point[LIFT_SPACE_PARAMS];

    assert_legal(d->nodes[d->leaves[leaf].node].term, device->dialect);
    if (!candidate_space_make(
            &(struct candidate_space_request){.problem = p,
                                              .device = device,
                                              .term = d->nodes[d->leaves[leaf].node].term,
                                              .conditions = d->leaves[leaf].conditions},
            &candidates, &why))
        fail_msg("%s", lift_str_get(&why));
    for (int i = 0; i < 3; i++) {
        struct explore_numbers n;

        assert_true(lift_space_sample(candidates.space, rng, point));
        explore_numbers_of(p, &candidates, point, &n);
        assert_null(explore_broken(&candidates, &n.env));
        assert_true(explore_small_sizes(p, &candidates, &n, &why));
        assert_means(p, &candidates, &n);
    }
}

static void check_own(const char *sizes, bool serve)
{
    char text[256];
    struct explore_problem *p;
    struct explore_numbers own, n;
    LIFT_SCOPED(lift_str) why = {0};

    snprintf(text, sizeof text,
             "size %s\nstencil s(g: [[f32]nx]ny) -> out =\n"
             "    map2(w -> w[0][1] - w[2][1], slide2(3, 1, pad2(1, 1, clamp, g)))\n",
             sizes);
    p = load_text(text);
    explore_numbers_of(p, NULL, NULL, &own);
    n = own;
    assert_true(explore_small_sizes(p, NULL, &n, &why));
    assert_int_equal(n.values[0] == own.values[0] && n.values[1] == own.values[1], serve);
    explore_problem_destroy(p);
}

/* A problem with small, odd sizes and an interior is its own small problem. */
static void test_own_sizes(void **state)
{
    (void)state;
    check_own("nx = 61, ny = 47", true);
    check_own("nx = 60, ny = 47", false);
    check_own("nx = 61, ny = 3", false);
    check_own("nx = 1001, ny = 1001", false);
}

/* A border that is chosen point by point has kernels at sizes that the program itself has
 * not: tiles that divide these need sizes made of their width. */
static void test_small_sizes(void **state)
{
    static const char how[] =
        "seq(topdown(selectBorder(3)), topdown(tileExact(1)), at(loop, mapGlb(0)))";
    static const struct lift_size_setting set[] = {{"block_x", 1}, {"index_bits", 32}};
    const struct lift_source source = {"how", how, strlen(how)};
    struct explore_problem *p = load_text(box);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_arena *arena = lift_ir_arena(p->ir);
    struct lift_error errors = {0};
    struct lift_steps steps = {0};
    struct lift_str why = {0};
    struct candidate_space_request request = {
        .problem = p, .device = &opencl_gpu, .set = set, .set_count = 2};
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS];

    (void)state;
    request.term = lift_strategy_run(
        p->ir, lift_strategy_read(arena, rules, &source, &errors), p->root, &steps);
    assert_non_null(request.term);
    request.conditions =
        (struct explore_conditions){steps.conditions, steps.condition_count};
    assert_true(candidate_space_make(&request, &candidates, &why));
    assert_true(lift_space_next(candidates.space, point, true));
    do {
        struct explore_numbers n;

        explore_numbers_of(p, &candidates, point, &n);
        assert_true(explore_small_sizes(p, &candidates, &n, &why));
        assert_null(explore_broken(&candidates, &n.env));
        assert_means(p, &candidates, &n);
    } while (lift_space_next(candidates.space, point, false));
    lift_str_fini(&why);
    lift_steps_fini(&steps);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* Whether a configuration of 'room' has values for tiles that are so wide. */
static bool has_space(int nx, const char *options, int64_t width)
{
    const struct lift_device_info hopper = {.arch = "sm_90",
                                            .runtime = "cuda",
                                            .dialect = LIFT_DIALECT_CUDA,
                                            .local_bytes = 48 << 10};
    const struct lift_size_setting set[] = {{"tile_x", width}};
    struct lift_rules *rules = lift_rules_shipped();
    char text[sizeof room + 40];
    struct explore_problem *p;
    struct derivation *d;
    struct candidate_space_request request = {
        .device = &hopper, .set = set, .set_count = 1};
    struct candidate_space candidates;
    struct lift_configuration point = {{0}};
    struct derived made;
    struct lift_str why = {0};
    bool has;

    snprintf(text, sizeof text, "size nx = %d, ny = 32, nz = 32%s", nx,
             strchr(room, '\n'));
    request.problem = p = load_text(text);
    d = derive_create(p, rules, hopper.dialect);
    d->device = explore_option_device(&hopper);
    if (!lift_configuration_read(rules, options, &point, &why) ||
        !configurations_make(d, &point, &made, &why))
        fail_msg("%s", lift_str_get(&why));
    request.term = d->nodes[made.node].term;
    request.conditions = made.conditions;
    has = candidate_space_make(&request, &candidates, &why);
    lift_str_fini(&why);
    derive_destroy(d);
    explore_problem_destroy(p);
    lift_rules_destroy(rules);
    return has;
}

/* Boxes begin at vectors of rows, which begin at whole 16 bytes. */
static void test_boxes(void **state)
{
    static const char plain[] = "star_split_shift_tma,halo=none,pitch=default,update=out_"
                                "of_place,stores=default,plane_pitch=default";

    (void)state;
    assert_true(has_space(32, plain, 4));
    assert_false(has_space(32, plain, 6));
    assert_false(has_space(30, plain, 4));
    assert_true(has_space(30, "star_split_shift_tma", 4));
    assert_true(has_space(30, "star_split_shift_quadruple", 6));
}

static struct derivation *families_of(const struct explore_problem *p,
                                      const struct lift_rules *rules,
                                      enum lift_dialect dialect, int most)
{
    struct derivation *d = derive_create(p, rules, dialect);

    configurations_add_families(d, most);
    return d;
}

/* configurations_add_temporal adds the families with temporal blocking, and no others. */
static void check_temporal(enum lift_dialect dialect)
{
    struct explore_problem *p = load_text(twice);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *all = families_of(p, rules, dialect, 0),
                      *some = derive_create(p, rules, dialect);
    int count = 0;

    configurations_add_temporal(some);
    for (int i = 0; i < all->leaf_count; i++)
        if (lift_configuration_is_temporal(rules, &all->leaves[i].configuration))
            assert_memory_equal(&all->leaves[i].configuration,
                                &some->leaves[count++].configuration,
                                sizeof(struct lift_configuration));
    assert_int_equal(count, some->leaf_count);
    assert_in_range(count, 1, all->leaf_count / 2);
    derive_destroy(some);
    derive_destroy(all);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_temporal(void **state)
{
    (void)state;
    check_temporal(LIFT_DIALECT_OPENMP);
    check_temporal(LIFT_DIALECT_CUDA);
}

/* The number of low-level expressions is at least 'least', without duplicates, and all
 * are legal. The interpreter is slow: it checks a number of evenly spread ones. */
static void check_program(const char *text, const struct lift_device_info *device,
                          int least)
{
    enum { MEANT = 40 };
    struct explore_problem *p = load_text(text);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = families_of(p, rules, device->dialect, 0);
    struct lift_rng rng;

    lift_rng_seed(&rng, 3);
    assert_true(d->leaf_count >= least);
    for (int i = 0; i < d->leaf_count; i++) {
        for (int k = 0; k < i; k++)
            assert_int_not_equal(d->leaves[i].node, d->leaves[k].node);
        assert_true(
            derive_is_lowered(d->nodes[d->leaves[i].node].term, device->dialect, NULL));
        assert_legal(d->nodes[d->leaves[i].node].term, device->dialect);
    }
    for (int i = 0; i < d->leaf_count; i += 1 + d->leaf_count / MEANT)
        check_leaf(p, d, i, device, &rng);
    print_message("%d expressions\n", d->leaf_count);
    derive_destroy(d);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_host(void **state)
{
    (void)state;
    check_program(blur, &host, 6);
    check_program(borders, &host, 15);
    check_program(room, &host, 15);
    check_program(two_outputs, &host, 8);
    check_program(in_two, &host, 15);
}

static void test_opencl(void **state)
{
    (void)state;
    check_program(blur, &opencl_gpu, 6);
    check_program(borders, &opencl_gpu, 15);
    check_program(room, &opencl_gpu, 15);
    check_program(two_outputs, &opencl_gpu, 8);
    check_program(in_two, &opencl_gpu, 15);
}

static lift_expr derived(struct explore_problem *p, const struct lift_rules *rules,
                         const char *how)
{
    const struct lift_source source = {"how", how, strlen(how)};
    struct lift_error errors = {0};
    lift_expr term = lift_strategy_run(
        p->ir, lift_strategy_read(lift_ir_arena(p->ir), rules, &source, &errors), p->root,
        NULL);

    assert_non_null(term);
    lift_error_fini(&errors);
    return term;
}

/* The loops of a layout around several result arrays are found and get levels, as without
 * a layout. */
static void test_laid_out(void **state)
{
    static const char *const how[] = {
        "seq(each(loop, mapGlb), sequential)",
        "seq(alignRows, each(loop, mapGlb), sequential)",
        "seq(alignRows, padPlanes, each(loop, mapGlb), sequential)"};
    struct explore_problem *p = load_text(two_outputs);
    struct lift_rules *rules = lift_rules_shipped();
    int count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        lift_expr term = derived(p, rules, how[i]);
        struct lift_loops loops = {0};

        assert_true(derive_is_lowered(term, LIFT_DIALECT_OPENCL, NULL));
        assert_legal(term, LIFT_DIALECT_OPENCL);
        lift_loops_find(term, false, &loops);
        assert_true(loops.count > 1 && (i == 0 || loops.count == count));
        count = loops.count;
        lift_loops_fini(&loops);
    }
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* ---- the graph */

/* Every node but the root has a parent, and its edges lead to it. */
static void test_edges(void **state)
{
    struct explore_problem *p = load_text(borders);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = families_of(p, rules, LIFT_DIALECT_OPENMP, 30);

    (void)state;
    assert_int_equal(d->leaf_count, 30);
    assert_true(d->unfit > 0);
    assert_ptr_equal(d->nodes[0].term, p->root);
    assert_null(d->nodes[0].edges);
    for (int i = 1; i < d->node_count; i++) {
        assert_non_null(d->nodes[i].edges);
        for (const struct derive_edge *e = d->nodes[i].edges; e; e = e->next) {
            struct lift_rewrite r;

            assert_true(lift_rewrite_at(p->ir, e->rule, d->nodes[e->parent].term, &e->at,
                                        e->choice, &r));
            assert_ptr_equal(r.term, d->nodes[i].term);
        }
    }
    derive_destroy(d);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* The naive kernel of an exploration with the first 'most' families only. */
static lift_expr plain_of(const struct explore_problem *p, const struct lift_rules *rules,
                          const struct lift_device_info *device, int most)
{
    struct derivation *d = families_of(p, rules, device->dialect, most);
    struct derive_leaf leaf;
    struct lift_str why = {0};
    struct lift_configuration marked;
    bool found = false;
    lift_expr plain;

    assert_true(configurations_naive(d, &leaf, &why));
    plain = d->nodes[leaf.node].term;
    for (int i = 0; i < lift_family_count(rules); i++) {
        lift_family_configuration(lift_family_get(rules, i), &marked);
        found |= lift_family_get(rules, i)->plain &&
                 !memcmp(&marked, &leaf.configuration, sizeof marked);
    }
    assert_true(found);
    assert_legal(plain, device->dialect);
    lift_str_fini(&why);
    derive_destroy(d);
    return plain;
}

/* The naive kernel belongs to a family marked as naive, and does not depend on the limit.
 */
static void check_plain(const char *text, const struct lift_device_info *device,
                        enum lift_op has, enum lift_op has_too)
{
    struct explore_problem *p = load_text(text);
    struct lift_rules *rules = lift_rules_shipped();
    lift_expr plain = plain_of(p, rules, device, 1);

    assert_true(lift_expr_mentions(plain, has) && lift_expr_mentions(plain, has_too));
    assert_ptr_equal(plain_of(p, rules, device, 400), plain);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_plain(void **state)
{
    (void)state;
    check_plain(blur, &host, LIFT_MAP_PAR, LIFT_CONCAT);
    check_plain(room, &host, LIFT_MAP_PAR, LIFT_PAD_STORED);
    check_plain(blur, &opencl_gpu, LIFT_MAP_GLB, LIFT_PAD);
    check_plain(room, &opencl_gpu, LIFT_MAP_GLB, LIFT_PAD_VALUE);
    check_plain(twice, &host, LIFT_MAP_PAR, LIFT_TO_GLOBAL);
    check_plain(twice, &opencl_gpu, LIFT_MAP_GLB, LIFT_TO_GLOBAL);
}

/* Default kernels without measurements: the families that each kind of device marks as
 * default, or the family on the command line. */
static void test_standard(void **state)
{
    struct explore_problem *p = load_text(borders);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = derive_create(p, rules, LIFT_DIALECT_OPENMP);
    struct lift_str why = {0};
    lift_expr rows, single;

    (void)state;
    configurations_add_standard(d);
    assert_int_equal(d->leaf_count, 2);
    rows = configurations_term(p, rules, LIFT_DIALECT_OPENMP, NULL, &why);
    assert_ptr_equal(rows, d->nodes[d->leaves[0].node].term);
    assert_true(lift_expr_mentions(rows, LIFT_MAP_PAR));
    single = configurations_term(p, rules, LIFT_DIALECT_OPENMP, "sequential", &why);
    assert_ptr_equal(single, d->nodes[d->leaves[1].node].term);
    assert_false(lift_expr_mentions(single, LIFT_MAP_PAR));
    assert_null(configurations_term(p, rules, LIFT_DIALECT_OPENMP, "gmem", &why));
    assert_string_equal(lift_str_get(&why), "no kernel family supports this device");
    lift_str_fini(&why);
    derive_destroy(d);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* Names of terms do not depend on other derivations in the same context. */
static void test_stable_hashes(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_problem *p = load_text(room), *q = load_text(room);
    struct derivation *few = families_of(p, rules, LIFT_DIALECT_OPENMP, 10);
    struct derivation *other = families_of(q, rules, LIFT_DIALECT_OPENCL, 100);
    struct derivation *again = families_of(q, rules, LIFT_DIALECT_OPENMP, 10);

    (void)state;
    assert_true(other->leaf_count > 10);
    assert_int_equal(few->leaf_count, again->leaf_count);
    for (int i = 0; i < few->leaf_count; i++)
        assert_true(lift_hash_equal(few->nodes[few->leaves[i].node].term->hash,
                                    again->nodes[again->leaves[i].node].term->hash));
    derive_destroy(few);
    derive_destroy(other);
    derive_destroy(again);
    explore_problem_destroy(p);
    explore_problem_destroy(q);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),      cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_own_sizes), cmocka_unit_test(test_stable_hashes),
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_laid_out),
        cmocka_unit_test(test_standard),  cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_temporal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

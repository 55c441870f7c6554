/* Every low-level expression means what its program means, and nests its levels legally.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/arm.h"
#include "explore/derive.h"
#include "explore/lower.h"
#include "explore/sites.h"
#include "lift/strategy.h"
#include "meaning.h"
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

static const struct lift_device_info host = {.name = "host",
                                             .arch = "x86_64 avx512f",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .local_bytes = 1 << 20};
static const struct lift_device_info gpu = {.name = "gpu",
                                            .arch = "none",
                                            .dialect = LIFT_DIALECT_OPENCL,
                                            .max_group_size = 256,
                                            .max_group_dims = {256, 256, 64},
                                            .local_bytes = 48 * 1024};

static struct explore_problem *load(const char *text)
{
    struct lift_source source = {"test.lift", text, strlen(text)};
    struct lift_diags diags = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &diags);

    lift_diags_print(&diags, stderr);
    assert_non_null(p);
    lift_diags_fini(&diags);
    return p;
}

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
    int dim = map->u.prim.attrs[0];

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
    struct sites *all = explore_sites(term);

    assert_false(all->too_deep);
    assert_int_equal(all->reduce_count, 0);
    for (int i = 0; i < all->count; i++) {
        struct around a = {.par = 0};
        int chain[64], count = 0;

        for (int at = i; at >= 0; at = all->items[at].parent)
            chain[count++] = at;
        if (all->items[i].storage == LIFT_TO_LOCAL ||
            all->items[i].storage == LIFT_TO_PRIVATE)
            a.wrg[0] = a.wrg[1] = a.wrg[2] = true;
        while (count-- > 0)
            assert_true(enter(&a, all->items[chain[count]].map));
        assert_true(all->items[i].lowered);
        assert_true(dialect == LIFT_DIALECT_OPENCL ? !a.par && !a.simd
                                                   : !any(a.glb) && !any(a.lcl));
    }
    free(all);
}

/* ---- meanings */

static void check_leaf(const struct explore_problem *p, const struct derivation *d,
                       int leaf, const struct lift_device_info *device,
                       struct lift_rng *rng)
{
    struct explore_arm arm;
    struct lift_str why = {0};
    int point[LIFT_SPACE_PARAMS];

    assert_legal(d->nodes[d->leaves[leaf].node].term, device->dialect);
    if (!explore_arm_make(
            &(struct explore_arm_request){.problem = p,
                                          .device = device,
                                          .term = d->nodes[d->leaves[leaf].node].term,
                                          .conditions = d->leaves[leaf].conditions},
            &arm, &why))
        fail_msg("%s", lift_str_get(&why));
    for (int i = 0; i < 3; i++) {
        struct explore_numbers n;

        assert_true(lift_space_sample(arm.space, rng, point));
        explore_numbers_of(p, &arm, point, &n);
        assert_null(explore_broken(&arm, &n.env));
        assert_true(explore_small_sizes(p, &arm, &n, &why));
        assert_means(p, &arm, &n);
    }
}

/* A border that is chosen point by point has kernels at sizes that the program itself has
 * not: tiles that divide these need sizes made of their width. */
static void test_small_sizes(void **state)
{
    static const char how[] =
        "seq(topdown(selectBorder(3)), topdown(tileExact(1)), at(loop, mapGlb(0)))";
    static const struct lift_size_setting set[] = {{"local0", 1}, {"index", 32}};
    const struct lift_source source = {"how", how, strlen(how)};
    struct explore_problem *p = load(box);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_arena *arena = lift_ir_arena(p->ir);
    struct lift_diags diags = {0};
    struct lift_steps steps = {0};
    struct lift_str why = {0};
    struct explore_arm_request request = {
        .problem = p, .device = &gpu, .set = set, .set_count = 2};
    struct explore_arm arm;
    int point[LIFT_SPACE_PARAMS];

    (void)state;
    request.term = lift_strategy_run(
        p->ir, lift_strategy_read(arena, rules, &source, &diags), p->root, &steps);
    assert_non_null(request.term);
    request.conditions =
        (struct explore_conditions){steps.conditions, steps.condition_count};
    assert_true(explore_arm_make(&request, &arm, &why));
    assert_true(lift_space_next(arm.space, point, true));
    do {
        struct explore_numbers n;

        explore_numbers_of(p, &arm, point, &n);
        assert_true(explore_small_sizes(p, &arm, &n, &why));
        assert_null(explore_broken(&arm, &n.env));
        assert_means(p, &arm, &n);
    } while (lift_space_next(arm.space, point, false));
    lift_str_fini(&why);
    lift_steps_fini(&steps);
    lift_diags_fini(&diags);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* The number of low-level expressions is at least 'least', and all are right. */
static void check_program(const char *text, const struct lift_device_info *device,
                          int most, int least)
{
    struct explore_problem *p = load(text);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d =
        explore_derive(p, rules, device, (struct derive_limits){200, most});
    struct lift_rng rng;

    lift_rng_seed(&rng, 3);
    assert_in_range(d->leaf_count, least, most);
    for (int i = 0; i < d->leaf_count; i++) {
        for (int k = 0; k < i; k++)
            assert_int_not_equal(d->leaves[i].node, d->leaves[k].node);
        check_leaf(p, d, i, device, &rng);
    }
    derive_destroy(d);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_host(void **state)
{
    (void)state;
    check_program(blur, &host, 40, 6);
    check_program(borders, &host, 40, 15);
    check_program(room, &host, 40, 15);
    check_program(two_outputs, &host, 40, 8);
    check_program(in_two, &host, 40, 15);
}

static void test_opencl(void **state)
{
    (void)state;
    check_program(blur, &gpu, 40, 6);
    check_program(borders, &gpu, 40, 15);
    check_program(room, &gpu, 40, 15);
    check_program(two_outputs, &gpu, 40, 8);
    check_program(in_two, &gpu, 40, 15);
}

static lift_expr derived(struct explore_problem *p, const struct lift_rules *rules,
                         const char *how)
{
    const struct lift_source source = {"how", how, strlen(how)};
    struct lift_diags diags = {0};
    lift_expr term = lift_strategy_run(
        p->ir, lift_strategy_read(lift_ir_arena(p->ir), rules, &source, &diags), p->root,
        NULL);

    assert_non_null(term);
    lift_diags_fini(&diags);
    return term;
}

/* Where a layout stands around a result of several arrays, its loops are found and get
 * levels as they do without. */
static void test_laid_out(void **state)
{
    static const char *const how[] = {"alignRows", "seq(alignRows, spreadPlanes)"};
    struct explore_problem *p = load(two_outputs);
    struct lift_rules *rules = lift_rules_shipped();
    const struct lowering *plain, *laid;
    int count = explore_lower(p->ir, rules, p->root, LIFT_DIALECT_OPENCL, &plain, NULL);

    (void)state;
    assert_true(count > 1);
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        lift_expr term = derived(p, rules, how[i]);

        assert_int_equal(
            explore_lower(p->ir, rules, term, LIFT_DIALECT_OPENCL, &laid, NULL), count);
        for (int k = 0; k < count; k++) {
            assert_int_equal(laid[k].steps.count, plain[k].steps.count);
            assert_legal(laid[k].term, LIFT_DIALECT_OPENCL);
        }
    }
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* ---- the graph */

/* Every node but the root has a parent, and its edges lead to it. */
static void test_edges(void **state)
{
    struct explore_problem *p = load(borders);
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d =
        explore_derive(p, rules, &host, (struct derive_limits){200, 30});

    (void)state;
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

/* The plain loop nest of an exploration, behind the last leaf; one of the leaves, too,
 * unless a macro wrote it. */
static lift_expr plain_of(struct explore_problem *p, const struct lift_rules *rules,
                          const struct lift_device_info *device, int most, bool written)
{
    struct derivation *d =
        explore_derive(p, rules, device, (struct derive_limits){200, most});
    lift_expr plain;

    assert_true(d->has_plain && d->leaf_count <= most);
    plain = d->nodes[d->leaves[d->leaf_count].node].term;
    assert_true(explore_is_lowered(plain, device->dialect));
    assert_true(most == 1 || written || derive_is_leaf(d, plain));
    derive_destroy(d);
    return plain;
}

/* It is the same whatever the limit. Where no macro says what a person writes, it is what
 * the program alone is lowered to first. */
static void check_plain(const char *text, const struct lift_device_info *device,
                        enum lift_op outermost, bool written)
{
    struct explore_problem *p = load(text);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_str why = {0};
    struct derivation *alone = explore_derive_plainly(p, rules, device, &why);
    lift_expr first = alone->nodes[alone->leaves[0].node].term;
    lift_expr plain = plain_of(p, rules, device, 1, written);

    assert_true(lift_expr_is(first, outermost));
    assert_true((plain == first) == !written);
    assert_ptr_equal(plain_of(p, rules, device, 400, written), plain);
    derive_destroy(alone);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_plain(void **state)
{
    (void)state;
    check_plain(blur, &host, LIFT_MAP_PAR, false);
    check_plain(room, &host, LIFT_MAP_PAR, true);
    check_plain(blur, &gpu, LIFT_MAP_GLB, false);
    check_plain(room, &gpu, LIFT_MAP_GLB, false);
}

/* Names of terms do not depend on what else was derived in the same context. */
static void test_stable_hashes(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_problem *p = load(room), *q = load(room);
    struct derivation *few =
        explore_derive(p, rules, &host, (struct derive_limits){200, 10});
    struct derivation *other = explore_derive(q, rules, &gpu,
                                              (struct derive_limits){200, 100}),
                      *many;

    (void)state;
    many = explore_derive(q, rules, &host, (struct derive_limits){200, 10});
    assert_true(other->leaf_count > 10);
    assert_int_equal(few->leaf_count, many->leaf_count);
    for (int i = 0; i < few->leaf_count; i++)
        assert_true(lift_hash_equal(few->nodes[few->leaves[i].node].term->hash,
                                    many->nodes[many->leaves[i].node].term->hash));
    derive_destroy(few);
    derive_destroy(other);
    derive_destroy(many);
    explore_problem_destroy(p);
    explore_problem_destroy(q);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),          cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_edges),         cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_stable_hashes), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_laid_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

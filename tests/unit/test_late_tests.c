/* Straight-line code with predicates after their values (predicates=after_values), and
 * loops in two versions, compute the same values as before: random blocks, run by a small
 * interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "codegen/passes/likely.h"
#include "codegen/passes/passes.h"
#include <string.h>

enum { VARS = 5, INDICES = 16, INNER = 3, STATEMENTS = 7 };

/* Names are equal if their addresses are. */
static const char *const names[VARS] = {"a", "b", "c", "d", "e"};

struct world {
    struct lift_ir *ir;
    struct lift_arena *arena;
    struct gen g;
    struct kernel kernel;
    struct kbuffer out;
    struct lift_rng rng;
    lift_type f32;
    int declared; /* so many of 'names' */
};

static void begin(struct world *w, uint64_t seed)
{
    *w = (struct world){.ir = lift_ir_create(), .kernel.name = "k"};
    w->arena = lift_ir_arena(w->ir);
    w->f32 = lift_type_scalar(w->ir, LIFT_F32);
    w->out = (struct kbuffer){.name = "out",
                              .space = KSPACE_GLOBAL,
                              .scalar = LIFT_F32,
                              .count = VARS,
                              .bind = -1,
                              .written = true};
    w->g = (struct gen){.ir = w->ir, .arena = w->arena, .nats = lift_ir_nats(w->ir)};
    w->g.block = &w->kernel.body;
    w->kernel.body.style.tests_last = true;
    lift_rng_seed(&w->rng, seed);
}

static void end(struct world *w)
{
    lift_ir_destroy(w->ir);
}

static void add(struct world *w, struct ks *s)
{
    ks_append(&w->kernel.body, s);
}

/* ---- blocks by chance */

static lift_nat index_of(const struct world *w)
{
    return lift_nat_var(w->g.nats, "i", LIFT_VAR_INDEX, 0, INDICES - 1);
}

static lift_nat inner_of(const struct world *w)
{
    return lift_nat_var(w->g.nats, "j", LIFT_VAR_INDEX, 0, INNER - 1);
}

static kx compared(struct world *w, lift_nat index, enum lift_op op, int64_t than)
{
    kx args[] = {kx_nat(w->ir, index), kx_int(w->ir, than)};

    return kx_op(w->ir, op, lift_type_scalar(w->ir, LIFT_BOOL), args, 2);
}

static kx test_of(struct world *w, enum lift_op op, int64_t than)
{
    return compared(w, index_of(w), op, than);
}

/* Few predicates, so that several values have the same one. */
static kx some_test(struct world *w)
{
    kx a = test_of(w, LIFT_LT, lift_rng_range(&w->rng, 12, 13));
    kx b = test_of(w, LIFT_NE, lift_rng_range(&w->rng, 2, 3));

    switch (lift_rng_below(&w->rng, 4)) {
    case 0:
        return a;
    case 1:
        return b;
    case 2:
        return kx_and(w->ir, a, b);
    default:
        return test_of(w, LIFT_EQ, 5);
    }
}

static kx some_value(struct world *w, int depth)
{
    uint64_t kind = lift_rng_below(&w->rng, depth > 0 ? 4 : 2);
    kx args[3];

    if (kind == 0 && w->declared)
        return kx_var(w->ir, names[lift_rng_below(&w->rng, (uint64_t)w->declared)],
                      w->f32);
    if (kind < 2)
        return kx_float(w->ir, LIFT_F32, (double)lift_rng_range(&w->rng, -9, 9));
    args[0] = some_value(w, depth - 1);
    args[1] = some_value(w, depth - 1);
    if (kind == 2)
        return kx_op(w->ir, LIFT_ADD, w->f32, args, 2);
    return kx_select(w->ir, some_test(w), args[0], args[1]);
}

static void add_some(struct world *w)
{
    kx value = some_value(w, 3);

    if (w->declared == 0 || (w->declared < VARS && lift_rng_below(&w->rng, 3))) {
        add(w, ks_decl(w->arena, names[w->declared], value));
        w->declared++;
    } else
        add(w, ks_assign(w->arena, names[lift_rng_below(&w->rng, (uint64_t)w->declared)],
                         value));
}

static void add_stores(struct world *w)
{
    for (int v = 0; v < w->declared; v++)
        add(w, ks_store(w->arena, &w->out, lift_nat_const(w->g.nats, v),
                        kx_var(w->ir, names[v], w->f32)));
}

/* ---- their meaning */

struct values {
    double of[VARS], out[VARS];
    int64_t index, inner;
};

static bool value_of_index(void *user, const char *name, int64_t *value)
{
    const struct values *v = user;

    *value = *name == 'i' ? v->index : v->inner;
    return true;
}

static int number_of(const char *name)
{
    for (int v = 0; v < VARS; v++)
        if (names[v] == name)
            return v;
    fail_msg("no variable '%s'", name);
    return 0;
}

static double meaning(struct values *v, kx e);

static double meaning_of_op(struct values *v, kx e)
{
    double first = meaning(v, e->args[0]);

    switch (e->op.op) {
    case LIFT_SELECT:
        return meaning(v, e->args[first != 0 ? 1 : 2]);
    case LIFT_NOT:
        return first == 0;
    case LIFT_AND:
        return first != 0 && meaning(v, e->args[1]) != 0;
    case LIFT_OR:
        return first != 0 || meaning(v, e->args[1]) != 0;
    case LIFT_ADD:
        return first + meaning(v, e->args[1]);
    case LIFT_LT:
        return first < meaning(v, e->args[1]);
    case LIFT_LE:
        return first <= meaning(v, e->args[1]);
    case LIFT_EQ:
        return first == meaning(v, e->args[1]);
    case LIFT_NE:
        return first != meaning(v, e->args[1]);
    default:
        fail_msg("operator %d", (int)e->op.op);
        return 0;
    }
}

static double meaning(struct values *v, kx e)
{
    int64_t n;

    switch (e->kind) {
    case KX_NAT:
        assert_true(lift_nat_eval(e->nat, value_of_index, v, &n));
        return (double)n;
    case KX_FLOAT:
        return e->number;
    case KX_BOOL:
        return e->truth;
    case KX_VAR:
        return v->of[number_of(e->name)];
    case KX_OP:
        return meaning_of_op(v, e);
    default:
        fail_msg("expression %d", (int)e->kind);
        return 0;
    }
}

static void run(struct values *v, const struct kblock *block);

/* The loop over 'i' is that of 'run_all'. */
static void run_loop(struct values *v, const struct ks *loop)
{
    bool inner = *lift_nat_is_var(loop->loop.index, NULL) == 'j';

    for (v->inner = 0; v->inner < (inner ? INNER : 1); v->inner++)
        run(v, &loop->loop.body);
    v->inner = 0;
}

static void run(struct values *v, const struct kblock *block)
{
    int64_t at;

    for (const struct ks *s = block->first; s; s = s->next) {
        if (s->kind == KS_IF)
            run(v, meaning(v, s->test.cond) != 0 ? &s->test.body : &s->test.otherwise);
        else if (s->kind == KS_LOOP)
            run_loop(v, s);
        else if (s->kind == KS_STORE) {
            assert_true(lift_nat_eval(s->store.at, NULL, NULL, &at));
            v->out[at] = meaning(v, s->store.value);
        } else
            v->of[number_of(ks_name(s))] = meaning(v, ks_expr(s));
    }
}

static void run_all(const struct world *w, struct values all[INDICES])
{
    for (int i = 0; i < INDICES; i++) {
        all[i] = (struct values){.index = i};
        run(&all[i], &w->kernel.body);
    }
}

/* ---- checks */

static const struct ks *first_if(const struct world *w)
{
    const struct ks *s = w->kernel.body.first;

    while (s && s->kind != KS_IF)
        s = s->next;
    return s;
}

/* Under its predicate, a selection reuses the original variable if the predicate implies
 * those of the operands. */
static void computed_values_are_reused(void **state)
{
    struct world w;
    const struct ks *test;
    kx c, sum, again;

    (void)state;
    begin(&w, 1);
    c = test_of(&w, LIFT_LT, 12);
    add(&w, ks_decl(w.arena, names[0],
                    kx_select(w.ir, c, kx_float(w.ir, LIFT_F32, 1),
                              kx_float(w.ir, LIFT_F32, 2))));
    sum = kx_op(w.ir, LIFT_ADD, w.f32,
                (kx[]){kx_var(w.ir, names[0], w.f32), kx_float(w.ir, LIFT_F32, 3)}, 2);
    add(&w, ks_decl(w.arena, names[1],
                    kx_select(w.ir, kx_and(w.ir, c, test_of(&w, LIFT_NE, 3)), sum,
                              kx_float(w.ir, LIFT_F32, 4))));
    w.declared = 2;
    add_stores(&w);
    cg_pass_tests(&w.g, &w.kernel);
    test = first_if(&w);
    assert_non_null(test);
    again = ks_expr(test->test.body.last);
    assert_true(kx_is_op(again, LIFT_SELECT));
    assert_int_equal(again->args[1]->kind, KX_VAR);
    assert_ptr_equal(again->args[1]->name, names[1]);
    end(&w);
}

static void blocks_by_chance(void **state)
{
    int with_tests = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct values before[INDICES], after[INDICES];
        struct world w;

        begin(&w, seed);
        for (int i = 0; i < STATEMENTS; i++)
            add_some(&w);
        add_stores(&w);
        run_all(&w, before);
        cg_pass_tests(&w.g, &w.kernel);
        run_all(&w, after);
        for (int i = 0; i < INDICES; i++)
            if (memcmp(before[i].out, after[i].out, sizeof before[i].out))
                fail_msg("seed %d, index %d", (int)seed, i);
        with_tests += first_if(&w) != NULL;
        end(&w);
    }
    assert_true(with_tests > 2000);
}

/* ---- versions of loops */

/* A random block, and a loop over 'j' whose value is stored, in a loop over 'i'. */
static struct ks *versioned_loop(struct world *w, enum kversion version, enum kloop level)
{
    struct ks *loop = ks_loop(w->arena, level, 0, index_of(w), INDICES);
    struct ks *inner = ks_loop(w->arena, KLOOP_SEQ, 0, inner_of(w), INNER);
    kx both, sum;

    for (int i = 0; i < STATEMENTS; i++)
        add_some(w);
    both = kx_and(w->ir, compared(w, inner_of(w), LIFT_LT, 2), some_test(w));
    sum = kx_op(w->ir, LIFT_ADD, w->f32,
                (kx[]){kx_var(w->ir, names[0], w->f32),
                       kx_select(w->ir, both, some_value(w, 1), some_value(w, 1))},
                2);
    ks_append(&inner->loop.body, ks_assign(w->arena, names[0], sum));
    add(w, inner);
    add_stores(w);
    loop->loop.version = version;
    loop->loop.body.first = w->kernel.body.first;
    loop->loop.body.last = w->kernel.body.last;
    w->kernel.body.first = w->kernel.body.last = NULL;
    add(w, loop);
    return loop;
}

static lift_nat forbidden;

static bool has_forbidden(kx e)
{
    return e->kind == KX_NAT && lift_nat_has(e->nat, forbidden);
}

static bool tests_it(const struct ks *s)
{
    return ks_expr(s) && kx_any(ks_expr(s), has_forbidden);
}

/* An iteration of a loop over steps, or of one over lanes: the first version has no test
 * of 'i', and tests of 'j' stay in both. */
static void iterations_have_versions(void **state)
{
    int versions = 0, inner = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct values before[INDICES], after[INDICES];
        const struct ks *loop, *test;
        struct world w;

        begin(&w, seed);
        loop = versioned_loop(&w, KVERSION_ITERATION, seed % 2 ? KLOOP_SEQ : KLOOP_SIMD);
        run_all(&w, before);
        cg_pass_version(&w.g, &w.kernel);
        run_all(&w, after);
        for (int i = 0; i < INDICES; i++)
            if (memcmp(before[i].out, after[i].out, sizeof before[i].out))
                fail_msg("seed %d, index %d", (int)seed, i);
        test = loop->loop.body.first;
        forbidden = index_of(&w);
        for (struct ks *s = test->test.body.first; test->kind == KS_IF && s; s = s->next)
            assert_false(ks_any(s, tests_it));
        versions += test->kind == KS_IF && test->test.versions;
        forbidden = inner_of(&w);
        for (struct ks *s = test->test.body.first; test->kind == KS_IF && s; s = s->next)
            inner += ks_any(s, tests_it);
        end(&w);
    }
    assert_true(versions > 1000);
    assert_true(inner > 1000);
}

/* Versions of a whole loop cannot depend on the loop's own index: such predicates stay
 * inside. */
static void tests_of_its_index_stay_in_a_loop(void **state)
{
    const struct ks *first;
    struct world w;
    lift_nat outer;

    (void)state;
    begin(&w, 3);
    versioned_loop(&w, KVERSION_LOOP, KLOOP_SIMD);
    cg_pass_version(&w.g, &w.kernel);
    assert_int_equal(w.kernel.body.first->kind, KS_LOOP);
    outer = lift_nat_var(w.g.nats, "k", LIFT_VAR_INDEX, 0, INDICES - 1);
    ks_append(
        &w.kernel.body.first->loop.body,
        ks_store(w.arena, &w.out, lift_nat_const(w.g.nats, 0),
                 kx_select(w.ir, compared(&w, outer, LIFT_LT, 12),
                           kx_float(w.ir, LIFT_F32, 1), kx_float(w.ir, LIFT_F32, 2))));
    cg_pass_version(&w.g, &w.kernel);
    first = w.kernel.body.first;
    assert_int_equal(first->kind, KS_IF);
    assert_true(first->test.versions);
    assert_ptr_equal(cg_nonneg(first->test.cond),
                     cg_nonneg(compared(&w, outer, LIFT_LT, 12)));
    forbidden = outer;
    assert_false(ks_any(first->test.body.first, tests_it));
    assert_true(ks_any(first->test.otherwise.first, tests_it));
    end(&w);
}

/* Of 'i < 13', 'i < 12' and '2 <= i' a version asks for the last two. */
static void weaker_tests_are_left_out(void **state)
{
    struct world w;
    struct ks *loop;
    kx a, one, two, cond;

    (void)state;
    begin(&w, 1);
    one = kx_float(w.ir, LIFT_F32, 1);
    two = kx_float(w.ir, LIFT_F32, 2);
    a = kx_select(w.ir, test_of(&w, LIFT_LT, 13), one,
                  kx_select(w.ir, test_of(&w, LIFT_LT, 12), two, one));
    loop = ks_loop(w.arena, KLOOP_SEQ, 0, index_of(&w), INDICES);
    loop->loop.version = KVERSION_ITERATION;
    for (int i = 0; i < 3; i++) {
        kx test =
            i < 2 ? test_of(&w, LIFT_LT, 13 - i) : kx_not(w.ir, test_of(&w, LIFT_LT, 2));

        ks_append(&loop->loop.body, ks_store(w.arena, &w.out, lift_nat_const(w.g.nats, i),
                                             kx_select(w.ir, test, one, two)));
    }
    ks_append(&loop->loop.body,
              ks_store(w.arena, &w.out, lift_nat_const(w.g.nats, 3), a));
    add(&w, loop);
    cg_pass_version(&w.g, &w.kernel);
    assert_int_equal(loop->loop.body.first->kind, KS_IF);
    cond = ks_expr(loop->loop.body.first);
    assert_true(kx_is_op(cond, LIFT_AND));
    for (int i = 0; i < INDICES; i++)
        assert_int_equal(meaning(&(struct values){.index = i}, cond), 2 <= i && i < 12);
    for (int i = 0; i < 2; i++)
        assert_false(kx_is_op(cond->args[i], LIFT_AND));
    end(&w);
}

/* ---- between passes */

/* A variable that only a dead one reads is dead, too. */
static void unread_variables_go(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    for (int v = 0; v < 4; v++) {
        add(&w, ks_decl(w.arena, names[v],
                        v % 2 ? kx_var(w.ir, names[v - 1], w.f32)
                              : kx_float(w.ir, LIFT_F32, v)));
        w.declared = v < 2 ? v + 1 : 2;
    }
    add(&w, ks_assign(w.arena, names[3], kx_float(w.ir, LIFT_F32, 7)));
    add_stores(&w);
    cg_simplify(&w.g, &w.kernel);
    for (const struct ks *s = w.kernel.body.first; s; s = s->next)
        assert_true(s->kind == KS_STORE || ks_name(s) == names[0] ||
                    ks_name(s) == names[1]);
    assert_int_equal(w.kernel.body.last->kind, KS_STORE);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_values_are_reused),
        cmocka_unit_test(blocks_by_chance),
        cmocka_unit_test(iterations_have_versions),
        cmocka_unit_test(tests_of_its_index_stay_in_a_loop),
        cmocka_unit_test(weaker_tests_are_left_out),
        cmocka_unit_test(unread_variables_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

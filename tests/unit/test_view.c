/* The table of views against the meaning of each primitive: an element of the result is
 * the element of the argument that reading leads to, and lies where writing leads to.
 * Indices are plain integers here. */
#include "eval_fixture.h"
#include "ir/view.h"
#include <stdlib.h>

/* ---- integers as indices */

static const void *boxed(struct fixture *f, int64_t i)
{
    return lift_arena_copy(f->arena, &i, sizeof i);
}

static int64_t integer_at(const void *index)
{
    return *(const int64_t *)index;
}

static int64_t number_of(lift_nat n)
{
    int64_t value;

    assert_true(lift_nat_is_const(n, &value));
    return value;
}

static const void *number(void *user, lift_nat n)
{
    return boxed(user, number_of(n));
}

static const void *add(void *user, const void *i, lift_nat n, bool minus)
{
    return boxed(user, integer_at(i) + (minus ? -number_of(n) : number_of(n)));
}

static int64_t start(const struct lift_view *v, int64_t i)
{
    int64_t at = i * number_of(v->n);
    int64_t last = v->whole ? number_of(v->whole) - number_of(v->size) : at;

    return at < last ? at : last;
}

static const void *merge(void *user, const struct lift_view *v, const void *i,
                         const void *j)
{
    return boxed(user, start(v, integer_at(i)) + integer_at(j));
}

static void cut(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest)
{
    int64_t q = integer_at(i) / number_of(v->n);

    *row = boxed(user, q);
    *rest = boxed(user, integer_at(i) - start(v, q));
}

static const void *misfit(void *user)
{
    (void)user;
    fail_msg("a path does not fit");
    return NULL;
}

static struct lift_indices integers(struct fixture *f)
{
    static const struct lift_index_ops ops = {number, add, merge, cut, misfit};

    return (struct lift_indices){&ops, f, f->arena};
}

/* ---- elements */

/* NULL: an index is out of range. */
static const struct lift_value *find(const struct lift_value *v, lift_access path)
{
    for (; path; path = path->next) {
        int64_t i = path->index ? integer_at(path->index) : path->member;

        if (i < 0 || i >= v->count)
            return NULL;
        v = &v->u.items[i];
    }
    return v;
}

typedef void each_fn(void *user, lift_access path);

/* All ways to scalars. */
static void each_scalar(struct fixture *f, const struct lift_value *v, lift_access head,
                        each_fn *fn, void *user)
{
    bool items = v->kind == LIFT_VALUE_VECTOR || v->kind == LIFT_VALUE_TUPLE ||
                 v->kind == LIFT_VALUE_ARRAY;

    if (!items)
        fn(user, head);
    for (int64_t i = 0; items && i < v->count; i++) {
        lift_access step = v->kind == LIFT_VALUE_TUPLE
                               ? lift_access_member(f->arena, (int)i, NULL)
                               : lift_access_index(f->arena, boxed(f, i), NULL);

        each_scalar(f, &v->u.items[i], lift_access_append(f->arena, head, step), fn,
                    user);
    }
}

static void assert_same(const struct lift_value *a, const struct lift_value *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_true(a->kind == LIFT_VALUE_FLOAT && b->kind == LIFT_VALUE_FLOAT);
    assert_true(a->u.number == b->u.number);
}

/* ---- one node */

struct node {
    struct fixture *f;
    lift_expr e;
    struct lift_value result, args[LIFT_MAX_ARGS];
    int slot;    /* writing: of the argument */
    bool stored; /* writing: the element has a place */
    int found;
    int places; /* writing: elements that have one */
};

/* Where several arguments could have it, one has. */
static void read_one(void *user, lift_access path)
{
    struct node *n = user;
    struct lift_indices x = integers(n->f);
    enum lift_walk walk = lift_walk_of(n->e->op);
    bool several = walk == LIFT_WALK_CONCAT || walk == LIFT_WALK_INSET;
    int slot = lift_view_argument(n->e->op, path), found = 0;

    for (int i = several ? 0 : slot; i < (several ? n->e->arg_count : slot + 1); i++) {
        const struct lift_value *from =
            find(&n->args[i], lift_view_read(&x, n->e, i, path));

        /* the border of an inset is that of its last argument's */
        if (!from || (walk == LIFT_WALK_INSET && i == 0 &&
                      find(&n->args[1], lift_view_read(&x, n->e, 1, path))))
            continue;
        assert_same(from, find(&n->result, path));
        found++;
    }
    assert_true(found == 1 || walk == LIFT_WALK_PAD || walk == LIFT_WALK_PAD_VALUE ||
                walk == LIFT_WALK_PAD_STORED);
    n->found += found;
}

static bool is_around(const struct lift_view *v, lift_access path)
{
    bool around = false;

    for (int k = 0; k < v->dims; k++, path = path->next) {
        int64_t i = integer_at(path->index) - number_of(v->first[k]);

        around = around || i < 0 || i >= number_of(v->count[k]);
    }
    return around;
}

static void note_condition(void *user, const struct lift_view *v, lift_access argument,
                           lift_access result)
{
    struct node *n = user;
    int64_t i = integer_at(argument->index), at = v->n ? number_of(v->n) : 0;

    if (v->keeps == LIFT_KEEPS_FIRST)
        n->stored = i < at;
    if (v->keeps == LIFT_KEEPS_LATER)
        n->stored = i >= at;
    if (v->keeps == LIFT_KEEPS_BORDER)
        n->stored = i < at || i >= at + number_of(v->size);
    if (v->keeps == LIFT_KEEPS_AROUND)
        n->stored = is_around(v, argument);
    assert_non_null(result);
}

static void write_one(void *user, lift_access path)
{
    struct node *n = user;
    struct lift_indices x = integers(n->f);
    lift_dest dest = lift_dest_mem(n->f->arena, n);
    lift_access to;
    const void *mem;

    n->stored = true;
    dest = lift_dest_into(n->f->arena, n->e, n->slot, dest);
    assert_non_null(dest);
    to = lift_dest_follow(&x, dest, path, &(struct lift_conditions){note_condition, n},
                          &mem);
    assert_ptr_equal(mem, n);
    if (n->stored)
        assert_same(find(&n->args[n->slot], path), find(&n->result, to));
    n->places += n->stored;
}

static void count_one(void *user, lift_access path)
{
    (void)path;
    ++*(int *)user;
}

/* Each element of the result comes from one that is stored: a condition drops no other.
 */
static void assert_complete(const struct node *n)
{
    int scalars = 0;

    each_scalar(n->f, &n->result, NULL, count_one, &scalars);
    if (n->e->op == LIFT_JOIN_SHIFT) /* rows overlap */
        assert_true(n->places >= scalars);
    else
        assert_int_equal(n->places, scalars);
}

static bool covered[LIFT_OP_COUNT];

static void check(struct fixture *f, lift_expr e)
{
    struct node n = {.f = f, .e = must(f, e)};
    int moved = lift_view_moved(e->op);

    covered[e->op] = true;
    n.result = value_of(f, e);
    for (int i = 0; i < e->arg_count; i++)
        if (e->u.prim.args[i]->kind != LIFT_EXPR_LAMBDA)
            n.args[i] = value_of(f, e->u.prim.args[i]);
    each_scalar(f, &n.result, NULL, read_one, &n);
    assert_true(n.found > 0);
    for (n.slot = 0; n.slot < e->arg_count; n.slot++)
        if (moved == LIFT_MOVES_EACH || moved == n.slot)
            each_scalar(f, &n.args[n.slot], NULL, write_one, &n);
    if (moved != LIFT_MOVES_NONE)
        assert_complete(&n);
}

static int setup(void **state)
{
    static const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct fixture *f = malloc(sizeof *f);

    fixture_init(f);
    input(f, "x", arr(f, f->f32, 6), numbers);
    input(f, "y", arr(f, f->f32, 6), numbers + 6);
    input(f, "four", arr(f, f->f32, 4), numbers + 6);
    input(f, "box", arr(f, arr(f, f->f32, 2), 1), numbers + 9);
    input(f, "m", arr(f, arr(f, f->f32, 3), 2), numbers);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_fini(*state);
    free(*state);
    return 0;
}

static void moves_equal_primitives(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_nat n0 = num(f, 0), n1 = num(f, 1), n2 = num(f, 2), n4 = num(f, 4);
    lift_expr box = lift_expr_free(ir, "box", arr(f, arr(f, f->f32, 2), 1));
    lift_expr x = lift_expr_free(ir, "x", arr(f, f->f32, 6));
    lift_expr y = lift_expr_free(ir, "y", arr(f, f->f32, 6));
    lift_expr four = lift_expr_free(ir, "four", arr(f, f->f32, 4));
    lift_expr m = lift_expr_free(ir, "m", arr(f, arr(f, f->f32, 3), 2));
    lift_expr pairs = lift_call2(ir, LIFT_ZIP, x, y);
    lift_expr tuple = lift_call2(ir, LIFT_TUPLE, x, m);
    lift_expr vectors = lift_call_nat(ir, LIFT_AS_VECTOR, n2, x);
    lift_expr rows = prim(f, LIFT_SLIDE_SHIFT, n4, n4, x, NULL);

    check(f, pairs);
    check(f, lift_call1(ir, LIFT_UNZIP, pairs));
    check(f, tuple);
    check(f, lift_get(ir, 1, tuple));
    check(f, lift_at(ir, 1, m));
    check(f, lift_call_nat(ir, LIFT_SPLIT, n2, x));
    check(f, lift_call1(ir, LIFT_JOIN, m));
    check(f, lift_slide(ir, n4, n1, x));
    check(f, lift_call1(ir, LIFT_TRANSPOSE, m));
    check(f, lift_call_nat(ir, LIFT_TAKE, n4, x));
    check(f, lift_call_nat(ir, LIFT_DROP, n2, x));
    check(f, lift_call3(ir, LIFT_CONCAT, x, four, y));
    check(f, prim(f, LIFT_INSET, n1, n1, x, four));
    check(f, inset_box(f, 1, (lift_nat[]){n1, n0, n0}, x, four));
    check(f, inset_box(f, 2, (lift_nat[]){n0, n1, n0}, m, box));
    check(f, lift_pad(ir, n2, n1, LIFT_PAD_CLAMP, x));
    check(f, lift_pad_const(ir, n2, n1, flt(f, -1), x));
    check(f, prim(f, LIFT_PAD_STORED, n2, n1, flt(f, -1), x));
    check(f, prim(f, LIFT_ALIGN_ROWS, n4, n1, x, NULL));
    check(f, prim(f, LIFT_APART, n4, n1, x, NULL));
    check(f, prim(f, LIFT_PREFETCH, n2, NULL, x, NULL));
    check(f, lift_call2(ir, LIFT_IN_PLACE, x, y));
    check(f, vectors);
    check(f, lift_call1(ir, LIFT_AS_SCALAR, vectors));
    check(f, rows);
    check(f, lift_call_nat(ir, LIFT_JOIN_SHIFT, num(f, 6), rows));
}

/* Runs after the test above: the moves of all views are verified, except that of reorder,
 * which is computed. */
static void every_view_is_covered(void **state)
{
    (void)state;
    for (int op = 0; op < LIFT_OP_COUNT; op++) {
        enum lift_walk walk = lift_walk_of((enum lift_op)op);

        if (lift_op_is_view((enum lift_op)op) && walk != LIFT_WALK_REORDER &&
            !covered[op])
            fail_msg("no test shows where '%s' moves elements",
                     lift_prim_info((enum lift_op)op)->name);
    }
}

/* A map of movements is one: [i] rest is [i] (rest through the function). */
static void maps_of_movements_are_destinations(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    lift_expr m = lift_expr_free(ir, "m", arr(f, arr(f, f->f32, 3), 2));
    lift_expr r = lift_fresh(ir, "r", arr(f, f->f32, 3));
    lift_expr f_row = lift_fun(ir, lift_call_nat(ir, LIFT_DROP, num(f, 1), r), r);
    struct node n = {.f = f, .e = must(f, lift_map(ir, f_row, m)), .slot = 1};

    n.result = value_of(f, n.e);
    n.args[1] = value_of(f, m);
    each_scalar(f, &n.args[1], NULL, write_one, &n);
    f_row = lift_fun(ir, r, r);
    assert_null(lift_dest_into(f->arena, must(f, lift_map(ir, f_row, m)), 1,
                               lift_dest_mem(f->arena, NULL)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(moves_equal_primitives),
        TEST(every_view_is_covered),
        TEST(maps_of_movements_are_destinations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

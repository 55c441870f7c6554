#include "explore/cost/sketch.h"
#include "explore/cost/sketch_t.h"
#include <math.h>
#include <string.h>

/* ---- numbers */

/* The value of a size or tunable, which the sketch then depends on. */
static bool use_number(void *user, const char *name, int64_t *value)
{
    struct drawer *d = user;
    const struct lift_nat_env *env = d->request->numbers;

    for (int i = 0; i < env->count; i++)
        if (strcmp(env->names[i], name) == 0) {
            d->out->used |= (uint64_t)1 << i;
            *value = env->values[i];
            return true;
        }
    return false;
}

double sk_number(struct drawer *d, lift_nat n)
{
    double *box = lift_ptrmap_get(&d->numbers, n);
    int64_t value = 1;

    if (box)
        return *box;
    d->failed |= !lift_nat_eval(n, use_number, d, &value);
    box = LIFT_NEW(d->arena, double);
    *box = (double)value;
    lift_ptrmap_put(&d->numbers, n, box);
    return *box;
}

static struct sketch_index *new_index(struct drawer *d, double base, int depth)
{
    struct sketch_index *x = lift_arena_alloc(
        d->arena, offsetof(struct sketch_index, by) + sizeof(double) * (size_t)depth);

    x->base = base;
    x->from = NULL;
    x->depth = depth;
    return x;
}

sx sk_const(struct drawer *d, double value)
{
    return new_index(d, value, 0);
}

/* Concatenates two lists. */
static const struct sketch_origin *
origins_of(struct drawer *d, const struct sketch_origin *a, const struct sketch_origin *b)
{
    struct sketch_origin *copy;

    if (!a || !b || a == b)
        return a ? a : b;
    copy = lift_arena_copy(d->arena, a, sizeof *a);
    copy->next = origins_of(d, a->next, b);
    return copy;
}

sx sk_linear(struct drawer *d, sx a, double p, sx b, double q)
{
    struct sketch_index *x = new_index(d, a->base * p + b->base * q,
                                       a->depth > b->depth ? a->depth : b->depth);

    for (int i = 0; i < a->depth; i++)
        x->by[i] = a->by[i] * p;
    for (int i = 0; i < b->depth; i++)
        x->by[i] += b->by[i] * q;
    if (d->places)
        x->from = origins_of(d, p != 0 ? a->from : NULL, q != 0 ? b->from : NULL);
    return x;
}

/* The extent of the enclosing loop at a depth. */
static double extent_at(const struct drawer *d, int depth)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];

    while (l->depth > depth)
        l = &d->out->loops[l->parent];
    return l->depth == depth ? l->extent : 1;
}

void sk_range(const struct drawer *d, sx a, double *lo, double *hi)
{
    *lo = *hi = a->base;
    for (int i = 0; i < a->depth; i++) {
        double reach = a->by[i] ? a->by[i] * (extent_at(d, i) - 1) : 0;

        *(reach < 0 ? lo : hi) += reach;
    }
}

void sk_known_range(struct drawer *d, sx a, double *lo, double *hi)
{
    sk_range(d, a, lo, hi);
    for (int i = 0; i < d->fact_count; i++) {
        double least, most;

        sk_range(d, sk_linear(d, a, 1, d->facts[i].index, -1), &least, &most);
        *hi = fmin(*hi, d->facts[i].most + most);
    }
}

/* Multiples of n among the strides go to the quotient. Smaller strides go to the rest if
 * the rest stays below n; otherwise they are spread over the quotient. */
void sk_divide(struct drawer *d, sx a, double n, sx *quotient, sx *rest)
{
    struct sketch_index *q = new_index(d, floor(a->base / n), a->depth);
    struct sketch_index *r = new_index(d, a->base - n * q->base, a->depth);
    const struct sketch_origin rounded = {.kind = SKETCH_ROUNDED};
    double lo, hi;

    for (int i = 0; i < a->depth; i++)
        if (fmod(a->by[i], n) == 0)
            q->by[i] = a->by[i] / n;
        else
            r->by[i] = a->by[i];
    q->from = r->from = a->from;
    sk_range(d, r, &lo, &hi);
    if (lo < 0 || hi >= n)
        q->from = r->from = sk_from(d, a, rounded)->from;
    for (int i = 0; i < a->depth && (lo < 0 || hi >= n); i++) {
        q->by[i] = a->by[i] / n;
        r->by[i] = 0;
    }
    *quotient = q;
    *rest = r;
}

/* ---- paths and environments */

static const void *number(void *user, lift_nat n)
{
    return sk_const(user, sk_number(user, n));
}

static const void *add(void *user, const void *i, lift_nat n, bool minus)
{
    double by = sk_number(user, n);

    return by == 0 ? i : sk_linear(user, i, 1, sk_const(user, minus ? -by : by), 1);
}

/* Rows shifted inward have no linear index function. */
static const void *merge(void *user, const struct lift_view *v, const void *i,
                         const void *j)
{
    return sk_linear(user, i, sk_number(user, v->n), j, 1);
}

static void cut(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest)
{
    sx quotient, remainder;

    sk_divide(user, i, sk_number(user, v->n), &quotient, &remainder);
    *row = quotient;
    *rest = remainder;
}

static const void *misfit(void *user)
{
    struct drawer *d = user;

    d->failed = true;
    return sk_const(d, 0);
}

const struct lift_index_ops sk_index_ops = {number, add, merge, cut, misfit};

lift_access sk_index(struct drawer *d, sx index, lift_access next)
{
    return lift_access_index(d->arena, index, next);
}

lift_access sk_member(struct drawer *d, int member, lift_access next)
{
    return lift_access_member(d->arena, member, next);
}

/* ---- loops */

static bool is_real(enum sketch_kind kind)
{
    return kind != SKETCH_UNROLL && kind != SKETCH_LANES;
}

/* All loops over vectors of equal length use one lane index. */
static int find_lanes(const struct drawer *d, double extent)
{
    const struct sketch *s = d->out;

    for (int i = d->loop + 1; i < s->loop_count; i++)
        if (s->loops[i].parent == d->loop && s->loops[i].kind == SKETCH_LANES &&
            s->loops[i].extent == extent)
            return i;
    return -1;
}

static void add_loop(struct drawer *d, enum sketch_kind kind, int dim, double extent)
{
    struct sketch *s = d->out;
    struct sketch_loop *around = &s->loops[d->loop];

    around->children += is_real(kind);
    s->loops[s->loop_count] = (struct sketch_loop){.parent = d->loop,
                                                   .depth = around->depth + 1,
                                                   .kind = kind,
                                                   .dim = dim,
                                                   .extent = extent,
                                                   .runs = d->runs};
    d->loop = s->loop_count++;
}

sx sk_open(struct drawer *d, enum sketch_kind kind, int dim, double extent)
{
    int depth = d->out->loops[d->loop].depth + 1;
    int known = kind == SKETCH_LANES ? find_lanes(d, extent) : -1;
    struct sketch_index *x;

    if (extent <= 1 && kind < SKETCH_PAR)
        return sk_const(d, 0);
    if (d->out->loop_count == SKETCH_LOOPS || depth == SKETCH_DEPTH) {
        d->failed = true;
        return sk_const(d, 0);
    }
    if (known >= 0)
        d->loop = known;
    else
        add_loop(d, kind, dim, extent);
    x = new_index(d, 0, depth + 1);
    x->by[depth] = 1;
    return x;
}

void sk_ops(struct drawer *d, double count, int lanes)
{
    struct sketch_loop *l = &d->out->loops[d->loop];

    *(lanes > 1 ? &l->lane_ops : &l->ops) += count * lanes * d->share;
}

/* Reads by a smaller share of the points are ignored. */
static const double rare = 0.25;

/* Operations of a boundary check, which neighbouring elements share. */
static const double test_ops = 0.25;

/* True if an index has equal strides through 'l' and the lanes of 'own': both walk along
 * one row. */
static bool are_strips(const struct sketch_loop *l, const struct sketch_loop *own,
                       sx index)
{
    return own->kind == SKETCH_SIMD &&
           index->by[l->depth] == index->by[own->depth] * own->extent;
}

void sk_tests(struct drawer *d, sx index, double count)
{
    struct sketch_loop *loops = d->out->loops, *own = NULL;

    loops[d->loop].ops += test_ops * count;
    for (int l = d->loop; l > 0; l = loops[l].parent) {
        bool depends = loops[l].depth < index->depth && index->by[loops[l].depth] != 0;

        if (!is_real(loops[l].kind))
            continue;
        if (!own && !depends)
            return;
        if (own && depends && are_strips(&loops[l], own, index))
            continue;
        if (own && depends) {
            loops[d->loop].blocked += count;
            return;
        }
        own = &loops[l];
    }
}

void sk_edges(struct drawer *d, sx index, double count, bool each)
{
    struct sketch_loop *loops = d->out->loops;
    int l = d->loop;

    while (l > 0 && !is_real(loops[l].kind))
        l = loops[l].parent;
    if (l > 0 && loops[l].depth < index->depth && index->by[loops[l].depth] != 0)
        loops[each ? d->loop : l].edges += count;
}

void sk_rolled(struct drawer *d)
{
    d->out->loops[d->loop].rolled++;
}

/* ---- memory */

static int outermost(const struct drawer *d)
{
    const struct sketch_loop *loops = d->out->loops;
    int l = d->loop;

    while (l > 0 && loops[l].parent > 0)
        l = loops[l].parent;
    return l;
}

static int add_leaves(struct drawer *d, lift_type t, double points,
                      enum sketch_space space)
{
    struct sketch *s = d->out;
    int count = 0;

    if (t->kind == LIFT_TYPE_ARRAY)
        return add_leaves(d, t->elem, points * sk_number(d, t->len), space);
    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            count += add_leaves(d, t->parts[i], points, space);
        return count;
    }
    if (s->buffer_count == SKETCH_BUFFERS || !lift_type_is_value(t)) {
        d->failed = true;
        return 0;
    }
    count = lift_scalar_bytes(t->scalar);
    if (t->kind == LIFT_TYPE_VECTOR)
        points *= t->count;
    s->buffers[s->buffer_count++] =
        (struct sketch_buffer){space, points * count, count, outermost(d), 0};
    return 1;
}

struct sketch_mem *sk_mem(struct drawer *d, lift_type type, enum sketch_space space)
{
    struct sketch_mem *mem = LIFT_NEW(d->arena, struct sketch_mem);

    *mem = (struct sketch_mem){.type = type, .first = d->out->buffer_count};
    add_leaves(d, type, 1, space);
    return mem;
}

static int leaves_of(lift_type t)
{
    int count = 0;

    t = lift_type_base(t);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        count += leaves_of(t->parts[i]);
    return t->kind == LIFT_TYPE_TUPLE ? count : 1;
}

/* Finds the address of a path. Memory is row-major; each member of a tuple has a separate
 * buffer. '*type' becomes the type at the end of the path. */
static sx locate(struct drawer *d, lift_type *type, lift_access path, int *leaf)
{
    sx at = sk_const(d, 0);
    lift_type t = *type;

    for (; path && !d->failed; path = path->next) {
        if (t->kind == LIFT_TYPE_TUPLE && !path->index) {
            for (int i = 0; i < path->member; i++)
                *leaf += leaves_of(t->parts[i]);
            t = t->parts[path->member];
        } else if (t->kind == LIFT_TYPE_ARRAY && path->index) {
            at = sk_linear(d, at, sk_number(d, t->len), path->index, 1);
            t = t->elem;
        } else if (t->kind == LIFT_TYPE_VECTOR && path->index && !path->next) {
            at = sk_linear(d, at, t->count, path->index, 1);
            t = NULL;
        } else {
            d->failed = true;
        }
    }
    *type = t;
    d->failed |= t && !lift_type_is_value(t);
    return at;
}

void sk_access(struct drawer *d, const struct sketch_mem *mem, lift_access path,
               bool store)
{
    struct sketch *s = d->out;
    lift_type type = mem->type;
    int leaf = 0, loop = d->loop;
    sx at;

    at = locate(d, &type, path, &leaf);
    if (d->failed || d->share < rare)
        return;
    if (type && type->kind == LIFT_TYPE_VECTOR)
        at = sk_linear(d, at, type->count, sk_open(d, SKETCH_LANES, 0, type->count), 1);
    if (s->access_count == SKETCH_ACCESSES)
        d->failed = true;
    else
        s->accesses[s->access_count++] = (struct sketch_access){
            d->loop, mem->leaves ? mem->leaves[leaf] : mem->first + leaf, store, d->kept,
            at};
    d->loop = loop;
}

/* ---- the whole */

const struct sketch_mem *sk_input(struct drawer *d, lift_expr e)
{
    const struct explore_problem *p = d->request->problem;

    for (int i = 0; i < p->input_count; i++)
        if (p->inputs[i] == e)
            return &d->inputs[i];
    return NULL;
}

/* For a tuple-valued result, the buffers of several inputs. */
static const struct sketch_mem *inputs_named(struct drawer *d, lift_expr tuple)
{
    struct sketch_mem *mem = LIFT_NEW(d->arena, struct sketch_mem);
    int *leaves = LIFT_NEW_ARRAY(d->arena, int, leaves_of(tuple->type) + 1), count = 0;

    for (int i = 0; i < tuple->arg_count; i++) {
        const struct sketch_mem *input = sk_input(d, lift_expr_arg(tuple, i));

        if (!input)
            return NULL;
        for (int k = 0; k < leaves_of(input->type); k++)
            leaves[count++] = input->first + k;
    }
    *mem = (struct sketch_mem){.type = tuple->type, .leaves = leaves};
    return mem;
}

/* The memory of the result; an input's memory if the term updates in place. */
static const struct sketch_mem *output_of(struct drawer *d, lift_expr term)
{
    const struct sketch_mem *input = NULL;
    lift_expr e = term;

    while (lift_expr_is_placed(e))
        e = e->u.prim.args[0];
    if (lift_expr_is(e, LIFT_IN_PLACE))
        input = lift_expr_is(e->u.prim.args[0], LIFT_TUPLE)
                    ? inputs_named(d, e->u.prim.args[0])
                    : sk_input(d, e->u.prim.args[0]);
    return input ? input : sk_mem(d, e->type, SKETCH_GLOBAL);
}

void sk_inputs(struct drawer *d)
{
    const struct explore_problem *p = d->request->problem;
    struct sketch *s = d->out;

    s->loops[0] = (struct sketch_loop){.parent = -1, .depth = -1, .extent = 1, .runs = 1};
    s->loop_count = 1;
    s->buffer_count = s->access_count = s->computed_count = 0;
    s->halo = false;
    s->used = 0;
    for (int i = 0; i < p->input_count; i++)
        d->inputs[i] = *sk_mem(d, p->inputs[i]->type, SKETCH_GLOBAL);
}

bool sketch_make(const struct sketch_request *request, struct lift_arena *arena,
                 struct sketch *out)
{
    struct drawer d = {
        .request = request, .arena = arena, .out = out, .runs = 1, .kept = -1, .cut = -1};
    lift_expr term = request->term;

    d.walker = (struct lift_walker){&sk_cost_ops, {&sk_index_ops, &d, arena}};
    d.share = 1;
    sk_inputs(&d);
    sk_write(&d, term, lift_walk_bind(&d.walker, NULL, lift_walk_known(NULL)),
             lift_dest_mem(arena, output_of(&d, term)));
    lift_ptrmap_fini(&d.numbers);
    return !d.failed;
}

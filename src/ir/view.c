#include "ir/view.h"

/* ---- paths */

lift_access lift_access_index(struct lift_arena *arena, const void *index,
                              lift_access next)
{
    struct lift_access *p = LIFT_NEW(arena, struct lift_access);

    *p = (struct lift_access){.index = index, .next = next};
    return p;
}

lift_access lift_access_member(struct lift_arena *arena, int member, lift_access next)
{
    struct lift_access *p = LIFT_NEW(arena, struct lift_access);

    *p = (struct lift_access){.member = member, .next = next};
    return p;
}

/* The first index or member of 'path' before 'rest'. */
static lift_access before(struct lift_arena *arena, lift_access path, lift_access rest)
{
    struct lift_access *p = LIFT_NEW(arena, struct lift_access);

    *p = (struct lift_access){path->index, path->member, rest};
    return p;
}

lift_access lift_access_append(struct lift_arena *arena, lift_access head,
                               lift_access tail)
{
    if (!head || !tail)
        return head ? head : tail;
    return before(arena, head, lift_access_append(arena, head->next, tail));
}

lift_type lift_access_type(lift_type t, lift_access path)
{
    for (; path; path = path->next)
        t = path->index ? t->elem : t->parts[path->member];
    return t;
}

/* ---- the table */

/* The source of a number of a move. */
enum source {
    FROM_NO,
    FROM_N0,
    FROM_N1,
    FROM_LENGTH,
    FROM_ROW,
    FROM_RESULT,
    FROM_LANES,
    FROM_BEFORE,
};

enum { ARGUMENT_0, ARGUMENT_1, ARGUMENT_2, ARGUMENT_EACH = LIFT_MOVES_EACH };

/* Primitives without an entry are scalar operations. */
static const struct entry {
    enum lift_walk walk;
    enum lift_move move;
    int argument;
    enum lift_keeps keeps;
    enum source n, size, whole;
} entries[LIFT_OP_COUNT] = {
#define ENTRY(op, value, walk, move, argument, keeps, n, size, whole)                    \
    [LIFT_##op] = {LIFT_WALK_##walk,   LIFT_MOVE_##move, ARGUMENT_##argument,            \
                   LIFT_KEEPS_##keeps, FROM_##n,         FROM_##size,                    \
                   FROM_##whole},
#include "ir/array_prims.def"
    [LIFT_NAT] = {.walk = LIFT_WALK_NAT},
    [LIFT_SELECT] = {.walk = LIFT_WALK_SELECT},
};

/* A primitive without an entry is an unknown name here. */
enum {
#define ENTRY(op, ...) HAS_##op,
#include "ir/array_prims.def"
#define SCALAR(op, ...) HAS_##op,
#include "ir/scalar_prims.def"
};

enum {
#define NEEDS_HIGH(op) HAS_##op
#define NEEDS_LOW(op) HAS_##op
#define NEEDS_SCALAR(op) HAS_##op
#define PRIM(op, name, params, level, scheme, meaning) NEEDED_BY_##op = NEEDS_##level(op),
#include "lift/prims.def"
#undef PRIM
};

enum lift_walk lift_walk_of(enum lift_op op)
{
    return entries[op].walk;
}

bool lift_op_is_view(enum lift_op op)
{
    static const bool views[] = {
#define WALK(word, view) view,
        LIFT_WALKS(WALK)
#undef WALK
    };

    return views[entries[op].walk];
}

int lift_view_moved(enum lift_op op)
{
    return entries[op].keeps == LIFT_KEEPS_NONE ? LIFT_MOVES_NONE : entries[op].argument;
}

static lift_nat elements_before(lift_expr node, int slot)
{
    lift_nat sum = node->u.prim.args[0]->type->len;

    for (int i = 1; i < slot; i++)
        sum = lift_nat_add(sum, node->u.prim.args[i]->type->len);
    return sum;
}

static lift_nat number(lift_expr node, int slot, enum source from)
{
    lift_type last = node->u.prim.args[node->arg_count - 1]->type;

    switch (from) {
    case FROM_N0:
        return node->u.prim.nats[0];
    case FROM_N1:
        return node->u.prim.nats[1];
    case FROM_LENGTH:
        return last->len;
    case FROM_ROW:
        return last->elem->len;
    case FROM_RESULT:
        return node->type->len;
    case FROM_LANES:
        return lift_nat_const(lift_nat_pool(last->len), last->elem->count);
    case FROM_BEFORE:
        return elements_before(node, slot);
    case FROM_NO:
        break;
    }
    return NULL;
}

/* The box, or, for the first argument, the elements around the box. */
static void box_of(lift_expr node, int slot, struct lift_view *out)
{
    lift_type t = node->u.prim.args[1]->type;

    out->dims = node->u.prim.attrs.box.dims;
    for (int k = 0; k < out->dims; k++, t = t->elem) {
        out->first[k] = node->u.prim.nats[k];
        out->count[k] = t->len;
    }
    if (slot > 0)
        return;
    out->move = LIFT_MOVE_SAME;
    out->keeps = LIFT_KEEPS_AROUND;
}

/* The first of several arguments has no offset in the result. */
void lift_view_of(lift_expr node, int slot, struct lift_view *out)
{
    const struct entry *e = &entries[node->op];

    out->move = e->move;
    out->keeps = e->keeps;
    out->k = slot;
    out->n = out->size = out->whole = NULL;
    out->dims = 0;
    if (out->move == LIFT_MOVE_NONE)
        return;
    if (e->n != FROM_NO)
        out->n = number(node, slot, e->n);
    if (e->size != FROM_NO)
        out->size = number(node, slot, e->size);
    if (e->whole != FROM_NO)
        out->whole = number(node, slot, e->whole);
    if (out->move == LIFT_MOVE_BOX)
        box_of(node, slot, out);
    if (out->move == LIFT_MOVE_GET)
        out->k = node->u.prim.attrs.get.k;
    if (out->move == LIFT_MOVE_BACK && e->argument == ARGUMENT_EACH && slot == 0) {
        out->move = LIFT_MOVE_SAME;
        out->keeps = out->size ? LIFT_KEEPS_BORDER : LIFT_KEEPS_ALL;
    }
}

/* ---- moves */

static lift_access misfit(const struct lift_indices *x, lift_access path)
{
    x->ops->misfit(x->user);
    return path;
}

static bool is_index(lift_access p)
{
    return p && p->index;
}

static lift_access shift(const struct lift_indices *x, const struct lift_view *v,
                         lift_access p, bool minus)
{
    if (!is_index(p))
        return misfit(x, p);
    return lift_access_index(x->arena, x->ops->add(x->user, p->index, v->n, minus),
                             p->next);
}

/* Shifts the indices of dimension 'k' of a box and of later dimensions. */
static lift_access shift_box(const struct lift_indices *x, const struct lift_view *v,
                             int k, lift_access p, bool minus)
{
    lift_access rest;

    if (k == v->dims)
        return p;
    if (!is_index(p))
        return misfit(x, p);
    rest = shift_box(x, v, k + 1, p->next, minus);
    return lift_access_index(x->arena, x->ops->add(x->user, p->index, v->first[k], minus),
                             rest);
}

static lift_access merge(const struct lift_indices *x, const struct lift_view *v,
                         lift_access p)
{
    const void *at;

    if (!is_index(p) || !is_index(p->next))
        return misfit(x, p);
    at = x->ops->merge(x->user, v, p->index, p->next->index);
    return lift_access_index(x->arena, at, p->next->next);
}

static lift_access cut(const struct lift_indices *x, const struct lift_view *v,
                       lift_access p)
{
    const void *row, *rest;

    if (!is_index(p))
        return misfit(x, p);
    x->ops->cut(x->user, v, p->index, &row, &rest);
    return lift_access_index(x->arena, row, lift_access_index(x->arena, rest, p->next));
}

static lift_access swap(const struct lift_indices *x, lift_access p)
{
    if (!p || !p->next)
        return misfit(x, p);
    return before(x->arena, p->next, before(x->arena, p, p->next->next));
}

/* Converts [i].k to [i], a path into part k. */
static lift_access without_member(const struct lift_indices *x, lift_access p)
{
    if (!is_index(p) || !p->next || p->next->index)
        return misfit(x, p);
    return lift_access_index(x->arena, p->index, p->next->next);
}

static lift_access with_member(const struct lift_indices *x, int k, lift_access p)
{
    if (!is_index(p))
        return misfit(x, p);
    return lift_access_index(x->arena, p->index,
                             lift_access_member(x->arena, k, p->next));
}

/* Maps a path to the argument ('in') or to the result. */
static lift_access moved(const struct lift_indices *x, const struct lift_view *v,
                         lift_access p, bool in)
{
    switch (v->move) {
    case LIFT_MOVE_SAME:
        return p;
    case LIFT_MOVE_SHIFT:
        return shift(x, v, p, !in);
    case LIFT_MOVE_BACK:
        return shift(x, v, p, in);
    case LIFT_MOVE_BOX:
        return shift_box(x, v, 0, p, in);
    case LIFT_MOVE_MERGE:
        return in ? merge(x, v, p) : cut(x, v, p);
    case LIFT_MOVE_CUT:
        return in ? cut(x, v, p) : merge(x, v, p);
    case LIFT_MOVE_SWAP:
        return swap(x, p);
    case LIFT_MOVE_ZIP:
        return in ? without_member(x, p) : with_member(x, v->k, p);
    case LIFT_MOVE_PART:
        if (!in)
            return lift_access_member(x->arena, v->k, p);
        return p && !p->index ? p->next : misfit(x, p);
    case LIFT_MOVE_GET:
        return in ? lift_access_member(x->arena, v->k, p) : misfit(x, p);
    case LIFT_MOVE_AT:
        return in ? lift_access_index(x->arena, x->ops->number(x->user, v->n), p)
                  : misfit(x, p);
    case LIFT_MOVE_NONE:
        break;
    }
    return misfit(x, p);
}

lift_access lift_view_out(const struct lift_indices *x, const struct lift_view *v,
                          lift_access path)
{
    return moved(x, v, path, false);
}

/* The first member of a path; -1: the path has no member. */
static int first_member(lift_access p)
{
    if (is_index(p))
        p = p->next;
    return p && !p->index ? p->member : -1;
}

int lift_view_argument(enum lift_op op, lift_access path)
{
    int k = entries[op].argument;

    if (k == ARGUMENT_EACH)
        k = first_member(path);
    return k < 0 ? 0 : k;
}

lift_access lift_view_read(const struct lift_indices *x, lift_expr node, int slot,
                           lift_access path)
{
    struct lift_view v;

    lift_view_of(node, slot, &v);
    return moved(x, &v, path, true);
}

const void *lift_view_index(const struct lift_indices *x, lift_expr node, int slot,
                            const void *i)
{
    struct lift_access first = {.index = i};

    return lift_view_read(x, node, slot, &first)->index;
}

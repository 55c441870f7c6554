#include "base/bug.h"
#include "ir/ir_t.h"
#include <string.h>

static bool prim_equal(const struct lift_expr_node *a, const struct lift_expr_node *b)
{
    return a->u.prim.text == b->u.prim.text &&
           !memcmp(a->u.prim.nats, b->u.prim.nats, sizeof a->u.prim.nats) &&
           !memcmp(a->u.prim.attrs.at, b->u.prim.attrs.at, sizeof a->u.prim.attrs.at) &&
           !memcmp(a->u.prim.args, b->u.prim.args,
                   (size_t)a->arg_count * sizeof *a->u.prim.args);
}

/* Compares nodes whose children are interned already. */
static bool node_equal(const void *entry, const void *key)
{
    const struct lift_expr_node *a = entry, *b = key;

    if (a->kind != b->kind || a->op != b->op || a->type != b->type ||
        a->arg_count != b->arg_count)
        return false;
    switch (a->kind) {
    case LIFT_EXPR_BOUND:
        return a->u.index == b->u.index;
    case LIFT_EXPR_FREE:
        return a->u.name == b->u.name;
    case LIFT_EXPR_LIT:
        return a->u.integer == b->u.integer;
    case LIFT_EXPR_LAMBDA:
        return a->u.lambda.body == b->u.lambda.body;
    case LIFT_EXPR_PRIM:
        return prim_equal(a, b);
    }
    return false;
}

static uint64_t prim_key(const struct lift_expr_node *e, uint64_t h)
{
    h = ir_mix_ptr(h, e->u.prim.text);
    for (int i = 0; i < LIFT_MAX_NATS; i++)
        h = ir_mix_ptr(h, e->u.prim.nats[i]);
    for (int i = 0; i < LIFT_MAX_ATTRS; i++)
        h = ir_mix(h, (uint64_t)e->u.prim.attrs.at[i]);
    for (int i = 0; i < e->arg_count; i++)
        h = ir_mix_ptr(h, e->u.prim.args[i]);
    return h;
}

static uint64_t node_key(const struct lift_expr_node *e)
{
    uint64_t h = ir_mix_ptr(
        ((uint64_t)e->kind * 256 + e->op) * 32 + (uint64_t)e->arg_count, e->type);

    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        return ir_mix(h, (uint64_t)e->u.index);
    case LIFT_EXPR_FREE:
        return ir_mix_ptr(h, e->u.name);
    case LIFT_EXPR_LIT:
        return ir_mix(h, (uint64_t)e->u.integer);
    case LIFT_EXPR_LAMBDA:
        return ir_mix_ptr(h, e->u.lambda.body);
    case LIFT_EXPR_PRIM:
        return prim_key(e, h);
    }
    return h;
}

static struct lift_hash op_hash(struct lift_ir *ir, enum lift_op op)
{
    struct lift_hash *known = &ir->op_hashes[op];

    if (!known->lo && !known->hi)
        *known = lift_hash_text(lift_prim_info(op)->name);
    return *known;
}

static struct lift_hash text_hash(struct lift_hash h, const char *text)
{
    return text ? lift_hash_combine(h, lift_hash_text(text)) : h;
}

/* The codes of a primitive's attributes are distinct. The first five keep their original
 * codes, so that old hashes stay valid. */
static int attr_code(int value, int i)
{
    int code = value * 4 + i;

    return i < 5 ? code : -code;
}

/* Hashes primitives by name, and skips attributes of value 0. So new primitives and new
 * attributes do not change the hashes of old terms. */
static struct lift_hash prim_hash(struct lift_ir *ir, const struct lift_expr_node *e,
                                  struct lift_hash h)
{
    h = text_hash(lift_hash_combine(h, op_hash(ir, e->op)), e->u.prim.text);
    for (int i = 0; i < LIFT_MAX_NATS && e->u.prim.nats[i]; i++)
        h = lift_hash_combine(h, lift_nat_hash(e->u.prim.nats[i]));
    for (int i = 0; i < LIFT_MAX_ATTRS; i++)
        if (e->u.prim.attrs.at[i])
            h = lift_hash_add_int(h, attr_code(e->u.prim.attrs.at[i], i));
    for (int i = 0; i < e->arg_count; i++)
        h = lift_hash_combine(h, e->u.prim.args[i]->hash);
    return h;
}

static struct lift_hash node_hash(struct lift_ir *ir, const struct lift_expr_node *e)
{
    struct lift_hash h = {e->kind, (uint64_t)e->arg_count};

    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        return lift_hash_combine(lift_hash_add_int(h, e->u.index), e->type->hash);
    case LIFT_EXPR_FREE:
        return lift_hash_combine(text_hash(h, e->u.name), e->type->hash);
    case LIFT_EXPR_LIT:
        return lift_hash_combine(lift_hash_add_int(h, e->u.integer), e->type->hash);
    case LIFT_EXPR_LAMBDA:
        return lift_hash_combine(lift_hash_combine(h, e->u.lambda.body->hash),
                                 e->type->hash);
    case LIFT_EXPR_PRIM:
        return prim_hash(ir, e, h);
    }
    return h;
}

static int loose_of(const struct lift_expr_node *e)
{
    int loose = 0;

    if (e->kind == LIFT_EXPR_BOUND)
        return e->u.index + 1;
    if (e->kind == LIFT_EXPR_LAMBDA)
        return e->u.lambda.body->loose > e->arg_count
                   ? e->u.lambda.body->loose - e->arg_count
                   : 0;
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < e->arg_count; i++)
        if (e->u.prim.args[i]->loose > loose)
            loose = e->u.prim.args[i]->loose;
    return loose;
}

static uint32_t size_of(const struct lift_expr_node *e)
{
    uint64_t size = 1;

    for (int i = 0; i < lift_expr_child_count(e); i++)
        size += lift_expr_child(e, i)->size;
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static bool has_sizes(const struct lift_expr_node *e)
{
    bool sized = e->type->sized;

    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < LIFT_MAX_NATS; i++)
        sized =
            sized || (e->u.prim.nats[i] && !lift_nat_is_const(e->u.prim.nats[i], NULL));
    return sized;
}

/* Summarises the primitives and free variables of a subtree, so that walks can skip
 * subtrees. */
static void find_contents(struct lift_expr_node *e)
{
    _Static_assert(LIFT_OP_COUNT <= 128, "a bit for each primitive");

    e->ops[0] = e->ops[1] = e->frees = 0;
    if (e->kind == LIFT_EXPR_PRIM)
        e->ops[e->op / 64] = UINT64_C(1) << e->op % 64;
    if (e->kind == LIFT_EXPR_FREE)
        e->frees = UINT64_C(1) << ir_mix_ptr(0, e->u.name) % 64;
    e->sized = has_sizes(e);
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);

        e->ops[0] |= child->ops[0];
        e->ops[1] |= child->ops[1];
        e->frees |= child->frees;
        e->sized = e->sized || child->sized;
    }
}

static void own_arrays(struct lift_ir *ir, struct lift_expr_node *e)
{
    if (e->kind == LIFT_EXPR_PRIM)
        e->u.prim.args = lift_arena_copy(ir->arena, e->u.prim.args,
                                         (size_t)e->arg_count * sizeof *e->u.prim.args);
    if (e->kind == LIFT_EXPR_LAMBDA) {
        const char **names = LIFT_NEW_ARRAY(ir->arena, const char *, e->arg_count);

        for (int i = 0; i < e->arg_count; i++)
            names[i] = lift_ir_name(ir, e->u.lambda.names ? e->u.lambda.names[i] : "x");
        e->u.lambda.names = names;
    }
}

static lift_expr intern(struct lift_ir *ir, struct lift_expr_node *key)
{
    uint64_t hash = node_key(key);
    struct lift_expr_node *e = lift_table_find(&ir->exprs, hash, key, node_equal);

    if (e)
        return e;
    key->hash = node_hash(ir, key);
    key->loose = loose_of(key);
    key->size = size_of(key);
    find_contents(key);
    key->id = ir->expr_count++;
    own_arrays(ir, key);
    e = lift_arena_copy(ir->arena, key, sizeof *key);
    lift_table_insert(&ir->exprs, hash, e);
    return e;
}

bool ir_owns(struct lift_ir *ir, lift_expr e)
{
    return lift_table_find(&ir->exprs, node_key(e), e, node_equal) == e;
}

lift_expr lift_expr_bound(struct lift_ir *ir, int index, lift_type type)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_BOUND, .type = type};

    key.u.index = index;
    return intern(ir, &key);
}

lift_expr lift_expr_free(struct lift_ir *ir, const char *name, lift_type type)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_FREE, .type = type};

    key.u.name = lift_ir_name(ir, name);
    return intern(ir, &key);
}

/* Compares literals by their bits, so minus zero and zero differ. This function rounds
 * literals, once. */
lift_expr lift_expr_float(struct lift_ir *ir, enum lift_scalar scalar, double value)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_LIT,
                                 .type = lift_type_scalar(ir, scalar)};

    key.u.number = lift_scalar_round(scalar, value);
    return intern(ir, &key);
}

lift_expr lift_expr_int(struct lift_ir *ir, int64_t value)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_LIT,
                                 .type = lift_type_scalar(ir, LIFT_I32)};

    key.u.integer = value;
    return intern(ir, &key);
}

lift_expr lift_expr_bool(struct lift_ir *ir, bool value)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_LIT,
                                 .type = lift_type_scalar(ir, LIFT_BOOL)};

    key.u.integer = value;
    return intern(ir, &key);
}

lift_expr lift_expr_lambda(struct lift_ir *ir, const lift_type *params, int count,
                           const char *const *names, lift_expr body)
{
    struct lift_expr_node key = {.kind = LIFT_EXPR_LAMBDA, .arg_count = count};

    key.type = lift_type_fun(ir, params, count, body->type);
    key.u.lambda.body = body;
    key.u.lambda.names = names;
    return intern(ir, &key);
}

/* Builds the node of a known type. */
static lift_expr prim_of_type(struct lift_ir *ir, enum lift_op op,
                              const struct lift_prim_args *args, lift_type type)
{
    struct lift_expr_node key = {
        .kind = LIFT_EXPR_PRIM, .op = op, .type = type, .arg_count = args->arg_count};

    key.u.prim.args = args->args;
    memcpy(key.u.prim.nats, args->nats, sizeof args->nats);
    key.u.prim.attrs = args->attrs;
    key.u.prim.text = args->text ? lift_ir_name(ir, args->text) : NULL;
    return intern(ir, &key);
}

lift_expr lift_expr_prim(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args, struct lift_type_error *error)
{
    lift_type type = ir_prim_type(ir, op, args, error);

    return type ? prim_of_type(ir, op, args, type) : NULL;
}

void lift_expr_args(lift_expr e, struct lift_prim_args *out)
{
    LIFT_ASSERT(e->kind == LIFT_EXPR_PRIM);
    memcpy(out->nats, e->u.prim.nats, sizeof out->nats);
    out->attrs = e->u.prim.attrs;
    memcpy(out->args, e->u.prim.args, (size_t)e->arg_count * sizeof *out->args);
    out->text = e->u.prim.text;
    out->arg_count = e->arg_count;
}

int lift_expr_child_count(lift_expr e)
{
    if (e->kind == LIFT_EXPR_LAMBDA)
        return 1;
    return e->kind == LIFT_EXPR_PRIM ? e->arg_count : 0;
}

lift_expr lift_expr_child(lift_expr e, int index)
{
    return e->kind == LIFT_EXPR_LAMBDA ? e->u.lambda.body : e->u.prim.args[index];
}

static void each_new(lift_expr e, lift_expr_visit *visit, void *user,
                     struct lift_ptrmap *seen)
{
    if (lift_ptrmap_get(seen, e))
        return;
    lift_ptrmap_put(seen, e, seen);
    if (visit(user, e))
        for (int i = 0; i < lift_expr_child_count(e); i++)
            each_new(lift_expr_child(e, i), visit, user, seen);
}

void lift_expr_each(lift_expr e, lift_expr_visit *visit, void *user)
{
    LIFT_SCOPED(lift_ptrmap) seen = {0};

    each_new(e, visit, user, &seen);
}

/* True if the types of the children are unchanged, so the type of the node is
 * unchanged. */
static bool same_types(lift_expr e, const lift_expr *children)
{
    for (int i = 0; i < e->arg_count; i++)
        if (children[i]->type != e->u.prim.args[i]->type)
            return false;
    return true;
}

lift_expr lift_expr_rebuild(struct lift_ir *ir, lift_expr e, const lift_expr *children,
                            struct lift_type_error *error)
{
    struct lift_prim_args args;

    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!children[i])
            return NULL;
    if (e->kind == LIFT_EXPR_LAMBDA)
        return children[0] == e->u.lambda.body
                   ? e
                   : lift_expr_lambda(ir, e->type->parts, e->arg_count, e->u.lambda.names,
                                      children[0]);
    if (e->kind != LIFT_EXPR_PRIM ||
        !memcmp(children, e->u.prim.args, (size_t)e->arg_count * sizeof *children))
        return e;
    lift_expr_args(e, &args);
    memcpy(args.args, children, (size_t)e->arg_count * sizeof *children);
    if (same_types(e, children))
        return prim_of_type(ir, e->op, &args, e->type);
    return lift_expr_prim(ir, e->op, &args, error);
}

lift_expr lift_expr_with_child(struct lift_ir *ir, lift_expr e, int slot, lift_expr child)
{
    lift_expr children[LIFT_MAX_ARGS];

    for (int i = 0; i < lift_expr_child_count(e); i++)
        children[i] = i == slot ? child : lift_expr_child(e, i);
    return lift_expr_rebuild(ir, e, children, NULL);
}

bool lift_expr_is(lift_expr e, enum lift_op op)
{
    return e->kind == LIFT_EXPR_PRIM && e->op == op;
}

int lift_map_dim(lift_expr map)
{
    const struct lift_prim_info *info = lift_prim_info(map->op);

    return info->attr_count && !info->attrs[0].option ? map->u.prim.attrs.at[0] : 0;
}

int lift_map_collapse(lift_expr map)
{
    return map->op == LIFT_MAP_PAR    ? map->u.prim.attrs.par.collapse
           : map->op == LIFT_MAP_TASK ? map->u.prim.attrs.task.collapse
                                      : 0;
}

int64_t lift_slide_ahead(lift_expr slide, int64_t step)
{
    int stages = slide->u.prim.attrs.slide.stages;

    return stages > 1 ? (stages - 1) * step : 0;
}

bool lift_expr_is_storage(lift_expr e)
{
    return lift_expr_is(e, LIFT_TO_LOCAL) || lift_expr_is(e, LIFT_TO_PRIVATE) ||
           lift_expr_is(e, LIFT_TO_GLOBAL);
}

bool lift_expr_mentions(lift_expr e, enum lift_op op)
{
    return e->ops[op / 64] >> op % 64 & 1;
}

bool lift_expr_is_placed(lift_expr e)
{
    return lift_expr_is(e, LIFT_ALIGN_ROWS) || lift_expr_is(e, LIFT_APART);
}

uint32_t lift_ir_expr_count(struct lift_ir *ir)
{
    return ir->expr_count;
}

lift_type lift_expr_type(lift_expr e)
{
    return e->type;
}

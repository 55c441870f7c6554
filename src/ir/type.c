#include "base/bug.h"
#include "base/half.h"
#include "base/memory.h"
#include "ir/ir_t.h"
#include "ir/scheme.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

struct lift_ir *lift_ir_create_on(struct lift_nats *nats)
{
    struct lift_ir *ir = lift_alloc(1, sizeof *ir);

    ir->arena = lift_arena_create();
    ir->nats = nats ? nats : lift_nats_create(ir->arena);
    ir->own_nats = !nats;
    return ir;
}

struct lift_ir *lift_ir_create(void)
{
    return lift_ir_create_on(NULL);
}

void lift_ir_destroy(struct lift_ir *ir)
{
    if (!ir)
        return;
    if (ir->own_nats)
        lift_nats_fini(ir->nats);
    lift_table_fini(&ir->names);
    lift_table_fini(&ir->types);
    lift_table_fini(&ir->exprs);
    lift_arena_destroy(ir->arena);
    free(ir);
}

struct lift_arena *lift_ir_arena(struct lift_ir *ir)
{
    return ir->arena;
}

struct lift_nats *lift_ir_nats(struct lift_ir *ir)
{
    return ir->nats;
}

static bool name_equal(const void *entry, const void *key)
{
    return strcmp(entry, key) == 0;
}

const char *lift_ir_name(struct lift_ir *ir, const char *name)
{
    uint64_t hash = lift_hash_text(name).lo;
    char *found = lift_table_find(&ir->names, hash, name, name_equal);

    if (!found) {
        found = lift_arena_strdup(ir->arena, name);
        lift_table_insert(&ir->names, hash, found);
    }
    return found;
}

static bool type_equal(const void *entry, const void *key)
{
    const struct lift_type_node *a = entry, *b = key;

    return a->kind == b->kind && a->scalar == b->scalar && a->count == b->count &&
           a->elem == b->elem && a->len == b->len &&
           (!a->parts ||
            !memcmp(a->parts, b->parts, (size_t)a->count * sizeof *a->parts));
}

static uint64_t type_key(const struct lift_type_node *t)
{
    uint64_t h = ir_mix((uint64_t)t->kind * 64 + t->scalar, (uint64_t)t->count);

    h = ir_mix_ptr(ir_mix_ptr(h, t->elem), t->len);
    for (int i = 0; t->parts && i < t->count; i++)
        h = ir_mix_ptr(h, t->parts[i]);
    return h;
}

static struct lift_hash type_hash(const struct lift_type_node *t)
{
    struct lift_hash h = {(uint64_t)t->kind * 64 + t->scalar, (uint64_t)t->count};

    if (t->elem)
        h = lift_hash_combine(h, t->elem->hash);
    if (t->len)
        h = lift_hash_combine(h, lift_nat_hash(t->len));
    for (int i = 0; t->parts && i < t->count; i++)
        h = lift_hash_combine(h, t->parts[i]->hash);
    return h;
}

static bool is_sized(const struct lift_type_node *t)
{
    bool sized =
        (t->elem && t->elem->sized) || (t->len && !lift_nat_is_const(t->len, NULL));

    for (int i = 0; t->parts && i < t->count; i++)
        sized = sized || t->parts[i]->sized;
    return sized;
}

static lift_type intern(struct lift_ir *ir, struct lift_type_node key)
{
    uint64_t hash = type_key(&key);
    struct lift_type_node *t = lift_table_find(&ir->types, hash, &key, type_equal);

    if (t)
        return t;
    if (key.parts)
        key.parts =
            lift_arena_copy(ir->arena, key.parts, (size_t)key.count * sizeof *key.parts);
    key.hash = type_hash(&key);
    key.sized = is_sized(&key);
    t = lift_arena_copy(ir->arena, &key, sizeof key);
    lift_table_insert(&ir->types, hash, t);
    return t;
}

lift_type lift_type_scalar(struct lift_ir *ir, enum lift_scalar scalar)
{
    if (!ir->scalars[scalar])
        ir->scalars[scalar] = intern(
            ir, (struct lift_type_node){.kind = LIFT_TYPE_SCALAR, .scalar = scalar});
    return ir->scalars[scalar];
}

lift_type lift_type_vector(struct lift_ir *ir, enum lift_scalar scalar, int width)
{
    return intern(ir, (struct lift_type_node){
                          .kind = LIFT_TYPE_VECTOR, .scalar = scalar, .count = width});
}

lift_type lift_type_meta(struct lift_ir *ir, int number)
{
    return intern(ir, (struct lift_type_node){.kind = LIFT_TYPE_META, .count = number});
}

lift_type lift_type_lanes(struct lift_ir *ir, lift_type lane, lift_nat width)
{
    return intern(ir, (struct lift_type_node){
                          .kind = LIFT_TYPE_VECTOR, .elem = lane, .len = width});
}

lift_type lift_type_tuple(struct lift_ir *ir, const lift_type *members, int count)
{
    return intern(ir, (struct lift_type_node){
                          .kind = LIFT_TYPE_TUPLE, .count = count, .parts = members});
}

lift_type lift_type_array(struct lift_ir *ir, lift_type elem, lift_nat len)
{
    return intern(
        ir, (struct lift_type_node){.kind = LIFT_TYPE_ARRAY, .elem = elem, .len = len});
}

lift_type lift_type_fun(struct lift_ir *ir, const lift_type *params, int count,
                        lift_type result)
{
    return intern(
        ir, (struct lift_type_node){
                .kind = LIFT_TYPE_FUN, .count = count, .parts = params, .elem = result});
}

const char *lift_scalar_name(enum lift_scalar scalar)
{
    static const char *const names[] = {"f32", "f64", "i32", "bool", "f16", "bf16"};

    return names[scalar];
}

int lift_scalar_bytes(enum lift_scalar scalar)
{
    static const int bytes[] = {4, 8, 4, 1, 2, 2};

    return bytes[scalar];
}

bool lift_scalar_is_storage(enum lift_scalar scalar)
{
    return scalar == LIFT_F16 || scalar == LIFT_BF16;
}

bool lift_scalar_is_real(enum lift_scalar scalar)
{
    return scalar == LIFT_F32 || scalar == LIFT_F64 || lift_scalar_is_storage(scalar);
}

double lift_scalar_round(enum lift_scalar scalar, double x)
{
    switch (scalar) {
    case LIFT_F32:
        return (float)x;
    case LIFT_F16:
        return lift_f16_value(lift_f16_of((float)x));
    case LIFT_BF16:
        return lift_bf16_value(lift_bf16_of((float)x));
    default:
        return x;
    }
}

double lift_scalar_epsilon(enum lift_scalar scalar)
{
    LIFT_ASSERT(lift_scalar_is_real(scalar));
    return scalar == LIFT_F64    ? DBL_EPSILON
           : scalar == LIFT_F16  ? 0x1p-10
           : scalar == LIFT_BF16 ? 0x1p-7
                                 : (double)FLT_EPSILON;
}

bool lift_type_is_scalar(lift_type t, enum lift_scalar scalar)
{
    return t->kind == LIFT_TYPE_SCALAR && t->scalar == scalar;
}

bool lift_type_is_value(lift_type t)
{
    return t->kind == LIFT_TYPE_SCALAR || t->kind == LIFT_TYPE_VECTOR;
}

bool lift_type_is_float(lift_type t)
{
    return lift_type_is_value(t) && (t->scalar == LIFT_F32 || t->scalar == LIFT_F64);
}

bool lift_type_is_data(lift_type t)
{
    if (t->kind == LIFT_TYPE_FUN)
        return false;
    if (t->kind == LIFT_TYPE_ARRAY)
        return lift_type_is_data(t->elem);
    for (int i = 0; t->parts && i < t->count; i++)
        if (!lift_type_is_data(t->parts[i]))
            return false;
    return true;
}

int lift_type_rank(lift_type t)
{
    int rank = 0;

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        rank++;
    return rank;
}

lift_type lift_type_base(lift_type t)
{
    while (t->kind == LIFT_TYPE_ARRAY)
        t = t->elem;
    return t;
}

lift_nat lift_type_points(struct lift_ir *ir, lift_type t)
{
    lift_nat n = lift_nat_const(ir->nats, 1);

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        n = lift_nat_mul(n, t->len);
    return n;
}

lift_type lift_type_subst(struct lift_ir *into, lift_type t, lift_nat_lookup *lookup,
                          void *user)
{
    lift_type parts[LIFT_MAX_ARGS];
    struct lift_type_node copy = *t;

    if (t->elem)
        copy.elem = lift_type_subst(into, t->elem, lookup, user);
    if (t->len)
        copy.len = lift_nat_subst(into->nats, t->len, lookup, user);
    for (int i = 0; t->parts && i < t->count; i++)
        parts[i] = lift_type_subst(into, t->parts[i], lookup, user);
    if (t->parts)
        copy.parts = parts;
    return intern(into, copy);
}

/* ---- metavariables */

void lift_ir_unify(struct lift_ir *ir, const struct lift_unifier *unifier)
{
    ir->unifier = unifier;
}

lift_type ir_find_type(struct lift_ir *ir, lift_type t)
{
    return ir->unifier ? ir->unifier->find(ir->unifier->user, t) : t;
}

bool lift_type_unify(struct lift_ir *ir, lift_type a, lift_type b)
{
    return a == b || (ir->unifier && ir->unifier->unify(ir->unifier->user, a, b));
}

/* ---- printing */

static void print_list(lift_type t, struct lift_str *out)
{
    lift_str_addc(out, '(');
    for (int i = 0; i < t->count; i++) {
        if (i)
            lift_str_add(out, ", ");
        lift_type_print(t->parts[i], out);
    }
    lift_str_addc(out, ')');
}

void lift_type_print(lift_type t, struct lift_str *out)
{
    switch (t->kind) {
    case LIFT_TYPE_SCALAR:
        lift_str_add(out, lift_scalar_name(t->scalar));
        break;
    case LIFT_TYPE_VECTOR:
        lift_str_addf(out, "%s<%d>", lift_scalar_name(t->scalar), t->count);
        break;
    case LIFT_TYPE_TUPLE:
        print_list(t, out);
        break;
    case LIFT_TYPE_ARRAY:
        lift_str_addc(out, '[');
        lift_type_print(t->elem, out);
        lift_str_addc(out, ']');
        lift_nat_print(t->len, 1, out);
        break;
    case LIFT_TYPE_FUN:
        print_list(t, out);
        lift_str_add(out, " -> ");
        lift_type_print(t->elem, out);
        break;
    case LIFT_TYPE_META:
        lift_str_addf(out, "?%d", t->count);
        break;
    }
}

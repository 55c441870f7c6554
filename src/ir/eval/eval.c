#include "ir/eval/eval_core.h"
#include <stdarg.h>
#include <string.h>

enum { MAX_STACK = 4 << 20 }; /* bytes that one evaluation may use */

static eval_prim *const prims[LIFT_OP_COUNT] = {
#define ENTRY(op, value, ...) [LIFT_##op] = eval_##value,
#include "ir/array_prims.def"
#define SCALAR(op, class, value) [LIFT_##op] = eval_##value,
#include "ir/scalar_prims.def"
};

void eval_fail(struct eval *ev, const char *format, ...)
{
    va_list args;

    if (ev->error) {
        lift_str_clear(ev->error);
        va_start(args, format);
        lift_str_vaddf(ev->error, format, args);
        va_end(args);
    }
    longjmp(ev->fail, 1);
}

/* The stack may grow upwards or downwards. */
void eval_check_depth(struct eval *ev)
{
    const char *frame = __builtin_frame_address(0);

    if (ev->stack - frame > MAX_STACK || frame - ev->stack > MAX_STACK)
        eval_fail(ev, "term is too deep to evaluate");
}

static void tick(struct eval *ev)
{
    if (++ev->steps > ev->most_steps)
        eval_fail(ev, "evaluation takes more than '%llu' steps",
                  (unsigned long long)ev->most_steps);
    eval_check_depth(ev);
}

void eval_too_large(struct eval *ev, int64_t count)
{
    LIFT_ASSERT(count >= 0);
    eval_fail(ev, "array of '%lld' elements is too large to evaluate", (long long)count);
}

static bool known_nat(void *user, const char *name, int64_t *value)
{
    const struct eval *ev = user;

    for (const struct eval_part *p = ev->parts; p; p = p->outer)
        if (strcmp(p->name, name) == 0) {
            *value = p->length;
            return true;
        }
    return ev->env->nat && ev->env->nat(ev->env->nat_user, name, value);
}

struct unknown {
    struct eval *ev;
    const char *name;
};

static void find_unknown(void *user, const struct lift_var *var)
{
    struct unknown *u = user;
    int64_t value;

    if (!u->name && !known_nat(u->ev, var->name, &value))
        u->name = var->name;
}

static int64_t nat_value(struct eval *ev, lift_nat n)
{
    struct unknown u = {ev, NULL};
    int64_t value;

    if (lift_nat_eval(n, known_nat, ev, &value))
        return value;
    lift_nat_each_var(n, find_unknown, &u);
    if (u.name)
        eval_fail(ev, "size '%s' has no value", u.name);
    eval_fail(ev, "size with a divisor below 1 has no value");
}

int64_t eval_nat(struct eval *ev, lift_nat n)
{
    int64_t value, *known;

    if (lift_nat_is_const(n, &value))
        return value;
    if (ev->parts) /* lengths of parts differ, so they are not cached */
        return nat_value(ev, n);
    known = lift_ptrmap_get(&ev->nats, n);
    if (!known) {
        known = eval_region_alloc(&ev->regions, ev->root, sizeof *known);
        *known = nat_value(ev, n);
        lift_ptrmap_put(&ev->nats, n, known);
    }
    return *known;
}

double eval_round(const struct eval *ev, enum lift_scalar scalar, double x)
{
    if (scalar == LIFT_F32)
        return ev->env->round_f32 ? (float)x : x;
    return lift_scalar_is_storage(scalar) ? lift_scalar_round(scalar, x) : x;
}

int64_t eval_int(struct eval *ev, int64_t value, const char *what)
{
    if (value < INT32_MIN || value > INT32_MAX)
        eval_fail(ev, "'%s' overflows i32 with '%lld'", what, (long long)value);
    return value;
}

static struct lift_value free_value(struct eval *ev, lift_expr e)
{
    const struct lift_eval_env *env = ev->env;

    for (int i = 0; i < env->value_count; i++)
        if (strcmp(env->values[i].name, e->u.name) == 0)
            return eval_adopt(ev, env->values[i].value, e->type, "variable", e->u.name);
    eval_fail(ev, "variable '%s' has no value", e->u.name);
}

static struct lift_value eval_free(struct eval *ev, lift_expr e)
{
    struct lift_value *known = lift_ptrmap_get(&ev->frees, e);
    struct eval_region *outer = ev->here;

    if (!known) {
        ev->here = ev->root;
        known = eval_alloc(ev, 1, sizeof *known);
        *known = free_value(ev, e);
        lift_ptrmap_put(&ev->frees, e, known);
        ev->here = outer;
    }
    return *known;
}

static struct lift_value eval_bound(const struct eval_scope *scope, int index)
{
    for (; scope && index > 0; index--)
        scope = scope->outer;
    if (!scope)
        LIFT_BUG("evaluation of a loose variable");
    return scope->value;
}

/* Floats are already rounded when the literal is made. */
static struct lift_value eval_lit(struct eval *ev, lift_expr e)
{
    switch (e->type->scalar) {
    case LIFT_BOOL:
        return lift_value_bool(e->u.integer != 0);
    case LIFT_I32:
        return lift_value_int(eval_int(ev, e->u.integer, "literal"));
    default:
        return lift_value_float(e->u.number);
    }
}

struct lift_value eval_expr(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    tick(ev);
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        return eval_bound(scope, e->u.index);
    case LIFT_EXPR_FREE:
        return eval_free(ev, e);
    case LIFT_EXPR_LIT:
        return eval_lit(ev, e);
    case LIFT_EXPR_PRIM:
        LIFT_ASSERT(prims[e->op]);
        return prims[e->op](ev, e, scope);
    case LIFT_EXPR_LAMBDA:
        break;
    }
    LIFT_BUG("evaluation of a function");
}

struct lift_value eval_arg(struct eval *ev, lift_expr e, int slot,
                           const struct eval_scope *scope)
{
    return eval_expr(ev, e->u.prim.args[slot], scope);
}

struct lift_value eval_apply(struct eval *ev, lift_expr lambda,
                             const struct eval_scope *scope,
                             const struct lift_value *args, int count)
{
    struct eval_scope *inner = eval_alloc(ev, count, sizeof *inner);

    LIFT_ASSERT(lambda->kind == LIFT_EXPR_LAMBDA && lambda->arg_count == count);
    for (int i = 0; i < count; i++) {
        inner[i] = (struct eval_scope){args[i], scope};
        scope = &inner[i];
    }
    return eval_expr(ev, lambda->u.lambda.body, scope);
}

/* Temporaries of an element without arrays are released immediately. An element with
 * arrays may refer to its temporaries, so they live as long as the array. */
static struct lift_value compute_elem(struct eval *ev, struct lift_lazy *a, int64_t i)
{
    struct eval_region *outer = ev->here, *home = a->home;
    struct lift_value v;

    ev->here = a->flat ? eval_region_open(&ev->regions) : home;
    v = a->elem(ev, a, i);
    if (a->flat) {
        v = eval_force(ev, v, home);
        eval_region_close(&ev->regions, ev->here);
    }
    ev->here = outer;
    return v;
}

struct lift_value eval_elem(struct eval *ev, const struct lift_value *array, int64_t i)
{
    struct lift_lazy *a = array->u.lazy;

    LIFT_ASSERT(i >= 0 && i < array->count);
    if (array->kind == LIFT_VALUE_ARRAY)
        return array->u.items[i];
    LIFT_ASSERT(array->kind == LIFT_VALUE_LAZY);
    tick(ev);
    if (!a->cached)
        return a->elem(ev, a, i);
    if (!a->cache) {
        size_t size = (size_t)array->count * sizeof *a->cache;

        eval_check_count(ev, array->count);
        a->cache = eval_region_alloc(&ev->regions, a->home, size);
        memset(a->cache, 0, size);
    }
    if (a->cache[i].kind == LIFT_VALUE_NONE)
        a->cache[i] = compute_elem(ev, a, i);
    return a->cache[i];
}

static struct lift_value *force_alloc(struct eval *ev, int64_t count,
                                      struct eval_region *into)
{
    eval_check_count(ev, count);
    if (into)
        return eval_region_alloc(&ev->regions, into,
                                 (size_t)count * sizeof(struct lift_value));
    return LIFT_NEW_ARRAY(ev->arena, struct lift_value, count);
}

static struct lift_value force_array(struct eval *ev, struct lift_value v,
                                     struct eval_region *into)
{
    struct lift_value *items = force_alloc(ev, v.count, into);
    struct eval_region *outer = ev->here;

    for (int64_t i = 0; i < v.count; i++) {
        ev->here = eval_region_open(&ev->regions);
        items[i] = eval_force(ev, eval_elem(ev, &v, i), into);
        eval_region_close(&ev->regions, ev->here);
    }
    ev->here = outer;
    v.kind = LIFT_VALUE_ARRAY;
    v.u.items = items;
    return v;
}

struct lift_value eval_force(struct eval *ev, struct lift_value v,
                             struct eval_region *into)
{
    struct lift_value *items;

    if (v.kind == LIFT_VALUE_ARRAY || v.kind == LIFT_VALUE_LAZY)
        return force_array(ev, v, into);
    if (v.kind != LIFT_VALUE_VECTOR && v.kind != LIFT_VALUE_TUPLE)
        return v;
    items = force_alloc(ev, v.count, into);
    for (int64_t i = 0; i < v.count; i++)
        items[i] = eval_force(ev, v.u.items[i], into);
    v.u.items = items;
    return v;
}

static void eval_init(struct eval *ev, const struct lift_eval_env *env,
                      struct lift_arena *arena, struct lift_str *error)
{
    *ev = (struct eval){.env = env, .arena = arena, .error = error};
    ev->root = ev->here = eval_region_open(&ev->regions);
    ev->most_steps = env->max_steps ? env->max_steps : UINT64_MAX;
    ev->stack = __builtin_frame_address(0);
}

static void eval_fini(struct eval *ev)
{
    if (ev->env->steps)
        *ev->env->steps += ev->steps;
    eval_regions_fini(&ev->regions);
    lift_ptrmap_fini(&ev->nats);
    lift_ptrmap_fini(&ev->frees);
    lift_ptrmap_fini(&ev->unknowns);
    lift_ptrmap_fini(&ev->costs);
}

/* No local of this function changes after setjmp, so that none is lost by longjmp. */
static bool run_expr(struct eval *ev, lift_expr e, struct lift_value *out)
{
    if (setjmp(ev->fail))
        return false;
    *out = eval_force(ev, eval_expr(ev, e, NULL), NULL);
    return true;
}

bool lift_eval(const struct lift_eval_env *env, lift_expr e, struct lift_arena *arena,
               struct lift_value *out, struct lift_str *error)
{
    struct eval ev;
    bool ok;

    LIFT_ASSERT(e->loose == 0 && lift_type_is_data(e->type));
    eval_init(&ev, env, arena, error);
    ok = run_expr(&ev, e, out);
    eval_fini(&ev);
    return ok;
}

#include "ir/walk.h"
#include "base/bug.h"

typedef const struct lift_walker *walker;

/* ---- variables */

lift_env lift_walk_bind(walker w, lift_env env, struct lift_bound value)
{
    struct lift_env *e = LIFT_NEW(w->indices.arena, struct lift_env);

    *e = (struct lift_env){.value = value, .next = env};
    return e;
}

const struct lift_bound *lift_walk_lookup(lift_env env, int index)
{
    while (index--)
        env = env->next;
    return &env->value;
}

struct lift_bound lift_walk_known(const void *value)
{
    return (struct lift_bound){.kind = LIFT_BOUND_KNOWN, .known = value};
}

const void *lift_walk_bound(walker w, const struct lift_bound *v, lift_access path)
{
    void *user = w->indices.user;

    if (v->kind == LIFT_BOUND_EXPR)
        return w->ops->read(user, v->expr, v->env,
                            lift_access_append(w->indices.arena, v->at, path));
    return v->kind == LIFT_BOUND_KNOWN ? v->known : w->ops->load(user, v, path);
}

static struct lift_bound variable(walker w, const char *hint, const void *value)
{
    return lift_walk_known(
        w->ops->variable ? w->ops->variable(w->indices.user, hint, value) : value);
}

static struct lift_bound delayed(lift_expr e, lift_env env)
{
    return (struct lift_bound){.kind = LIFT_BOUND_EXPR, .expr = e, .env = env};
}

static const struct lift_bound *remembered(walker w, lift_expr e, lift_env env)
{
    return w->ops->remembered ? w->ops->remembered(w->indices.user, e, env) : NULL;
}

struct lift_bound lift_walk_value(walker w, const char *hint, lift_expr e, lift_env env)
{
    const struct lift_bound *known;

    if (w->ops->prepare)
        w->ops->prepare(w->indices.user, e, env);
    known = remembered(w, e, env);
    if (known)
        return *known;
    if (lift_type_is_value(e->type))
        return variable(w, hint, w->ops->read(w->indices.user, e, env, NULL));
    return delayed(e, env);
}

lift_env lift_walk_element(walker w, lift_expr xs, lift_env env, const void *index,
                           lift_expr lambda, lift_env around)
{
    struct lift_bound v = delayed(xs, env);

    v.at = lift_access_index(w->indices.arena, index, NULL);
    if (lift_type_is_value(xs->type->elem) &&
        lift_expr_uses_bound(lambda->u.lambda.body, 0, 1))
        v = variable(w, "x", lift_walk_bound(w, &v, NULL));
    return lift_walk_bind(w, around, v);
}

/* ---- paths */

const void *lift_walk_pop(walker w, lift_access *path)
{
    const void *index;

    if (!*path || !(*path)->index)
        return w->indices.ops->misfit(w->indices.user);
    index = (*path)->index;
    *path = (*path)->next;
    return index;
}

static lift_access at(walker w, const void *index, lift_access next)
{
    return lift_access_index(w->indices.arena, index, next);
}

static const void *read_arg(walker w, lift_expr e, int slot, lift_env env,
                            lift_access path)
{
    return w->ops->read(w->indices.user, lift_expr_arg(e, slot), env, path);
}

static const void *any(walker w, lift_type array)
{
    return w->ops->as_index(w->indices.user, NULL, array->len);
}

void lift_walk_all(walker w, lift_expr e, lift_env env, lift_type t, lift_access path,
                   const void *index)
{
    struct lift_arena *arena = w->indices.arena;

    if (t->kind == LIFT_TYPE_ARRAY)
        lift_walk_all(
            w, e, env, t->elem,
            lift_access_append(arena, path, at(w, index ? index : any(w, t), NULL)),
            index);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        lift_walk_all(w, e, env, t->parts[i],
                      lift_access_append(arena, path, lift_access_member(arena, i, NULL)),
                      index);
    if (lift_type_is_value(t))
        w->ops->read(w->indices.user, e, env, path);
}

/* ---- readers */

static const void *find_prim(walker w, enum lift_walk way, lift_expr e, lift_env env,
                             lift_access path);

static const void *r_scalar(walker w, lift_expr e, lift_env env)
{
    const void *args[LIFT_MAX_ARGS] = {NULL};

    for (int i = 0; i < e->arg_count; i++)
        args[i] = read_arg(w, e, i, env, NULL);
    return w->ops->scalar(w->indices.user, e, args);
}

static const void *of_index(walker w, const void *i)
{
    return w->ops->of_index ? w->ops->of_index(w->indices.user, i) : i;
}

const void *lift_walk_view(walker w, lift_expr e, lift_env env, lift_access path)
{
    int slot = lift_view_argument(e->op, path);

    return read_arg(w, e, slot, env, lift_view_read(&w->indices, e, slot, path));
}

const void *lift_walk_map(walker w, lift_expr e, lift_env env, lift_access path)
{
    struct lift_bound x = delayed(lift_expr_arg(e, 1), env);

    x.at = at(w, lift_walk_pop(w, &path), NULL);
    return w->ops->read(w->indices.user, lift_expr_arg(e, 0)->u.lambda.body,
                        lift_walk_bind(w, env, x), path);
}

/* Reads the result of applying f m times: a chain of environments. */
static const void *r_iterate(walker w, lift_expr e, lift_env env, lift_access path)
{
    int64_t m = w->ops->count(w->indices.user, e->u.prim.nats[0]);
    struct lift_bound x = delayed(lift_expr_arg(e, 1), env);

    for (int64_t i = 0; i < m; i++)
        x = delayed(lift_expr_arg(e, 0)->u.lambda.body, lift_walk_bind(w, env, x));
    return lift_walk_bound(w, &x, path);
}

static const void *r_let(walker w, lift_expr e, lift_env env, lift_access path)
{
    const struct lift_bound *known = remembered(w, e, env);
    struct lift_bound v;

    if (known)
        return lift_walk_bound(w, known, path);
    v = lift_walk_value(w, "val", lift_expr_arg(e, 0), env);
    v = delayed(lift_expr_arg(e, 1)->u.lambda.body, lift_walk_bind(w, env, v));
    if (w->ops->remember)
        w->ops->remember(w->indices.user, e, env, &v);
    return lift_walk_bound(w, &v, path);
}

/* Reads an arbitrary element of the last argument. */
static const void *read_last(walker w, lift_expr e, lift_env env)
{
    lift_expr xs = lift_expr_arg(e, e->arg_count - 1);

    lift_walk_all(w, xs, env, xs->type, NULL, NULL);
    return NULL;
}

static lift_env bind_index(walker w, lift_env env, const void *i)
{
    return lift_walk_bind(w, env, lift_walk_known(of_index(w, i)));
}

/* Reads the function of the index and the length, and the array. */
static const void *r_pad_value(walker w, lift_expr e, lift_env env, lift_access path)
{
    const struct lift_indices *x = &w->indices;
    lift_access rest = path;
    const void *j = lift_view_index(x, e, 1, lift_walk_pop(w, &rest));
    const void *n = x->ops->number(x->user, lift_expr_arg(e, 1)->type->len);
    lift_env inner = bind_index(w, bind_index(w, env, j), n);

    w->ops->read(x->user, lift_expr_arg(e, 0)->u.lambda.body, inner, rest);
    return find_prim(w, LIFT_WALK_PAD, e, env, path);
}

static const void *r_concat(walker w, lift_expr e, lift_env env, lift_access path)
{
    const void *i = lift_walk_pop(w, &path);

    for (int part = 0; part < e->arg_count; part++)
        read_arg(w, e, part, env, at(w, lift_view_index(&w->indices, e, part, i), path));
    return NULL;
}

static const void *r_array(walker w, lift_expr e, lift_env env, lift_access path)
{
    lift_env inner = bind_index(w, env, lift_walk_pop(w, &path));

    return w->ops->read(w->indices.user, lift_expr_arg(e, 0)->u.lambda.body, inner, path);
}

static const void *r_reorder(walker w, lift_expr e, lift_env env, lift_access path)
{
    void *user = w->indices.user;
    lift_env inner = bind_index(w, env, lift_walk_pop(w, &path));
    const void *i = w->ops->read(user, lift_expr_arg(e, 0)->u.lambda.body, inner, NULL);

    return read_arg(w, e, 1, env, at(w, w->ops->as_index(user, i, e->type->len), path));
}

/* Reads all points and values, since their positions depend on data. */
static const void *r_inject(walker w, lift_expr e, lift_env env, lift_access path)
{
    for (int i = 1; i < e->arg_count; i++)
        lift_walk_all(w, lift_expr_arg(e, i), env, lift_expr_arg(e, i)->type, NULL, NULL);
    return lift_walk_view(w, e, env, path);
}

/* Reads the stored value, or, if the value is not stored, its definition. */
static const void *r_stored(walker w, lift_expr e, lift_env env, lift_access path)
{
    const struct lift_bound *stored = remembered(w, e, env);

    return stored ? lift_walk_bound(w, stored, path) : read_arg(w, e, 0, env, path);
}

/* The reader visits an arbitrary element; the result is unknown. */
static const void *r_reduce(walker w, lift_expr e, lift_env env)
{
    lift_expr f = lift_expr_arg(e, 0), xs = lift_expr_arg(e, 2);
    struct lift_bound x = delayed(xs, env);
    lift_env inner = lift_walk_bind(w, env, lift_walk_known(NULL));

    x.at = at(w, any(w, xs->type), NULL);
    lift_walk_all(w, lift_expr_arg(e, 1), env, e->type, NULL, NULL);
    lift_walk_all(w, f->u.lambda.body, lift_walk_bind(w, inner, x), e->type, NULL, NULL);
    return NULL;
}

static const void *find_prim(walker w, enum lift_walk way, lift_expr e, lift_env env,
                             lift_access path)
{
    if (w->ops->own[way])
        return w->ops->own[way](w->indices.user, e, env, path);
    switch (way) {
    case LIFT_WALK_SCALAR:
        return r_scalar(w, e, env);
    case LIFT_WALK_NAT:
        return of_index(w, w->indices.ops->number(w->indices.user, e->u.prim.nats[0]));
    case LIFT_WALK_SELECT:
        read_arg(w, e, 0, env, NULL);
        read_arg(w, e, 1, env, path);
        read_arg(w, e, 2, env, path);
        return NULL;
    case LIFT_WALK_MAP:
        return lift_walk_map(w, e, env, path);
    case LIFT_WALK_REDUCE:
        return r_reduce(w, e, env);
    case LIFT_WALK_ITERATE:
        return r_iterate(w, e, env, path);
    case LIFT_WALK_LET:
        return r_let(w, e, env, path);
    case LIFT_WALK_PAD_VALUE:
        return r_pad_value(w, e, env, path);
    case LIFT_WALK_INSET:
        read_arg(w, e, 0, env, path);
        return read_arg(w, e, 1, env, lift_view_read(&w->indices, e, 1, path));
    case LIFT_WALK_CONCAT:
        return r_concat(w, e, env, path);
    case LIFT_WALK_ARRAY:
        return r_array(w, e, env, path);
    case LIFT_WALK_REORDER:
        return r_reorder(w, e, env, path);
    case LIFT_WALK_INJECT:
        return r_inject(w, e, env, path);
    case LIFT_WALK_STORED:
        return r_stored(w, e, env, path);
    case LIFT_WALK_WINDOWS:
    case LIFT_WALK_VECTOR:
        return read_last(w, e, env);
    case LIFT_WALK_VIEW:
    case LIFT_WALK_PAD:
    case LIFT_WALK_PAD_STORED:
    case LIFT_WALK_LANE:
    case LIFT_WALK_COUNT:
        break;
    }
    return lift_walk_view(w, e, env, path);
}

const void *lift_walk_find(walker w, lift_expr e, lift_env env, lift_access path)
{
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        return lift_walk_bound(w, lift_walk_lookup(env, e->u.index), path);
    case LIFT_EXPR_FREE:
        return w->ops->input(w->indices.user, e, path);
    case LIFT_EXPR_LIT:
        return w->ops->literal(w->indices.user, e);
    case LIFT_EXPR_PRIM:
        return find_prim(w, lift_walk_of(e->op), e, env, path);
    case LIFT_EXPR_LAMBDA:
        break;
    }
    LIFT_BUG("a function is read");
}

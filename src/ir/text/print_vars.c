#include "ir/text/print_t.h"
#include "lift/cut.h"
#include "lift/memory.h"
#include "lift/table.h"
#include <stdlib.h>
#include <string.h>

/* The length of a part has its name inside a mapDevice, and is not declared. */
static void add_nat(void *user, lift_nat var, const char *name, enum lift_var_kind kind,
                    int64_t lo, int64_t hi)
{
    struct print_vars *v = user;

    (void)var;
    if (lift_part_dim(name) >= 0)
        return;
    for (int i = 0; i < v->nat_count; i++)
        if (strcmp(v->nats[i].name, name) == 0)
            return;
    LIFT_ROOM(v->nats, v->nat_count, v->nat_cap);
    v->nats[v->nat_count++] = (struct print_nat){name, kind, lo, hi};
}

static void add_type(struct print_vars *v, lift_type t)
{
    if (t->len)
        lift_nat_each_var(t->len, add_nat, v);
    if (t->elem)
        add_type(v, t->elem);
    for (int i = 0; t->parts && i < t->count; i++)
        add_type(v, t->parts[i]);
}

static void add_free(struct print_vars *v, lift_expr e)
{
    LIFT_ROOM(v->frees, v->free_count, v->free_cap);
    v->frees[v->free_count++] = e;
    add_type(v, e->type);
}

static void collect(struct print_vars *v, lift_expr e, struct lift_ptrmap *seen)
{
    if (lift_ptrmap_get(seen, e))
        return;
    lift_ptrmap_put(seen, e, (void *)e);
    if (e->kind == LIFT_EXPR_FREE)
        add_free(v, e);
    if (e->kind == LIFT_EXPR_LAMBDA)
        add_type(v, e->type);
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < LIFT_MAX_NATS; i++)
        if (e->u.prim.nats[i])
            lift_nat_each_var(e->u.prim.nats[i], add_nat, v);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        collect(v, lift_expr_child(e, i), seen);
}

void print_vars_collect(lift_expr e, struct print_vars *out)
{
    LIFT_SCOPED(lift_ptrmap) seen = {0};

    *out = (struct print_vars){0};
    collect(out, e, &seen);
}

void print_vars_fini(struct print_vars *vars)
{
    free(vars->nats);
    free(vars->frees);
}

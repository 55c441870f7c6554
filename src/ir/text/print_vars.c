#include "base/memory.h"
#include "ir/cut.h"
#include "ir/text/print_t.h"
#include <stdlib.h>
#include <string.h>

static void add_nat(void *user, const struct lift_var *var)
{
    struct print_vars *v = user;

    for (int i = 0; i < v->nat_count; i++)
        if (strcmp(v->nats[i].name, var->name) == 0)
            return;
    LIFT_ROOM(v->nats, v->nat_count, v->nat_cap);
    v->nats[v->nat_count++] = *var;
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

static bool collect(void *user, lift_expr e)
{
    struct print_vars *v = user;

    if (e->kind == LIFT_EXPR_FREE) {
        LIFT_ROOM(v->frees, v->free_count, v->free_cap);
        v->frees[v->free_count++] = e;
    }
    if (e->kind == LIFT_EXPR_FREE || e->kind == LIFT_EXPR_LAMBDA)
        add_type(v, e->type);
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < LIFT_MAX_NATS; i++)
        if (e->u.prim.nats[i])
            lift_nat_each_var(e->u.prim.nats[i], add_nat, v);
    return true;
}

/* Declares tunables in the order of their keys, since the reader numbers tunables in
 * this order. */
static void order_tunables(struct print_vars *v)
{
    for (int i = 0; i < v->nat_count; i++)
        for (int j = i + 1; j < v->nat_count; j++) {
            struct lift_var a = v->nats[i], b = v->nats[j];

            if (a.kind == LIFT_VAR_TUNABLE && b.kind == LIFT_VAR_TUNABLE &&
                strverscmp(a.key, b.key) > 0) {
                v->nats[i] = b;
                v->nats[j] = a;
            }
        }
}

void print_vars_collect(lift_expr e, struct print_vars *out)
{
    *out = (struct print_vars){0};
    lift_expr_each(e, collect, out);
    order_tunables(out);
}

void print_vars_fini(struct print_vars *vars)
{
    free(vars->nats);
    free(vars->frees);
}

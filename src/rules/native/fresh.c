/* Names of new tunables. A name is the base, a number and the range, as far as it is not
 * from 1 to the longest array: k0, k0_2 from 2, k0_2_64 from 2 to 64. So it depends on
 * the term alone, and one name never stands for two ranges. */
#include "base/memory.h"
#include "ir/cut.h"
#include "rules/rule_t.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rule_fresh_fini(struct rule_fresh *fresh)
{
    free(fresh->names);
    fresh->names = NULL;
    fresh->count = fresh->cap = 0;
}

void rule_fresh_reset(struct rule_fresh *fresh)
{
    fresh->count = fresh->base;
}

int rule_fresh_mark(const struct rule_fresh *fresh)
{
    return fresh->known ? fresh->count : -1;
}

void rule_fresh_rewind(struct rule_fresh *fresh, int mark)
{
    fresh->count = mark < 0 ? fresh->base : mark;
}

static void add_name(struct rule_fresh *fresh, const char *name)
{
    for (int i = 0; i < fresh->count; i++)
        if (strcmp(fresh->names[i], name) == 0)
            return;
    LIFT_ROOM(fresh->names, fresh->count, fresh->cap);
    fresh->names[fresh->count++] = name;
}

static void note_var(void *user, const struct lift_var *var)
{
    if (var->kind == LIFT_VAR_TUNABLE)
        add_name(user, var->name);
}

static bool collect(void *fresh, lift_expr e)
{
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < lift_prim_info(e->op)->nat_count;
         i++)
        if (lift_nat_mentions(e->u.prim.nats[i], LIFT_VAR_TUNABLE))
            lift_nat_each_var(e->u.prim.nats[i], note_var, fresh);
    return true;
}

static void learn_names(struct rule_fresh *fresh)
{
    if (fresh->known)
        return;
    lift_expr_each(fresh->term, collect, fresh);
    fresh->known = true;
    fresh->base = fresh->count;
}

/* True if some name is 'base' and 'number', whatever the range. */
static bool taken(const struct rule_fresh *fresh, const char *base, int number)
{
    char stem[64];
    size_t len = (size_t)snprintf(stem, sizeof stem, "%s%d", base, number);

    for (int i = 0; i < fresh->count; i++)
        if (strncmp(fresh->names[i], stem, len) == 0 &&
            (fresh->names[i][len] == '_' || fresh->names[i][len] == '\0'))
            return true;
    return false;
}

/* False if the pool knows the name as something else. */
static bool agrees(struct lift_nats *nats, const char *name, int64_t lo, int64_t hi)
{
    lift_nat var = lift_nat_find_var(nats, name);
    enum lift_var_kind kind;

    if (!var)
        return true;
    lift_nat_is_var(var, &kind);
    return kind == LIFT_VAR_TUNABLE && lift_nat_lo(var) == lo && lift_nat_hi(var) == hi;
}

static void write_name(char *text, size_t size, const char *base, int number, int64_t lo,
                       int64_t hi)
{
    int len = snprintf(text, size, "%.40s%d", base, number);

    if (lo != 1 || hi < INT32_MAX)
        len += snprintf(text + len, size - (size_t)len, "_%lld", (long long)lo);
    if (hi < INT32_MAX)
        snprintf(text + len, size - (size_t)len, "_%lld", (long long)hi);
}

lift_nat rule_fresh_tunable(struct rule_fresh *fresh, const char *base, int64_t lo,
                            int64_t hi)
{
    struct lift_nats *nats = lift_ir_nats(fresh->ir);
    char text[96];
    int number = 0;

    learn_names(fresh);
    for (;; number++) {
        if (taken(fresh, base, number))
            continue;
        write_name(text, sizeof text, base, number, lo, hi);
        if (agrees(nats, text, lo, hi))
            break;
    }
    add_name(fresh, lift_ir_name(fresh->ir, text));
    return lift_nat_var(nats, text, LIFT_VAR_TUNABLE, lo, hi);
}

lift_nat rule_same_tunable(struct rule_fresh *fresh, const char *base, int number,
                           int64_t lo, int64_t hi)
{
    struct lift_nats *nats = lift_ir_nats(fresh->ir);
    char text[96];

    learn_names(fresh);
    write_name(text, sizeof text, base, number, lo, hi);
    if (!agrees(nats, text, lo, hi))
        return NULL;
    add_name(fresh, lift_ir_name(fresh->ir, text));
    return lift_nat_var(nats, text, LIFT_VAR_TUNABLE, lo, hi);
}

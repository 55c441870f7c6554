/* Expressions over integers as plain trees, before any simplification: a parser with the
 * precedence of C, the naive evaluator that nats are compared with, and the way from a
 * tree to a nat. For the suites of nats only. */
#ifndef TEST_NAT_TREE_H
#define TEST_NAT_TREE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/str.h"
#include "ir/nat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- variables ---- */

static const struct {
    const char *name;
    enum lift_var_kind kind;
    int64_t lo, hi;
} vars[] = {
    {"i", LIFT_VAR_INDEX, 0, 99},
    {"j", LIFT_VAR_INDEX, 0, 7},
    {"t", LIFT_VAR_INDEX, 0, 3},
    {"k", LIFT_VAR_TUNABLE, 8, 64},
    {"m", LIFT_VAR_TUNABLE, 1, 10},
    {"n", LIFT_VAR_SIZE, 1, 1000},
    {"x", LIFT_VAR_INDEX, -50, 50},
    {"u", LIFT_VAR_META, LIFT_NAT_MIN, LIFT_NAT_MAX},
    {"v", LIFT_VAR_META, 0, LIFT_NAT_MAX},
};

struct env {
    int64_t value[COUNT(vars)];
};

static inline int var_index(const char *name)
{
    for (int i = 0; i < COUNT(vars); i++)
        if (!strcmp(vars[i].name, name))
            return i;
    return -1;
}

static inline lift_nat var(struct lift_nats *nats, int i)
{
    return lift_nat_var(nats, vars[i].name, vars[i].kind, vars[i].lo, vars[i].hi);
}

static inline bool env_lookup(void *user, const char *name, int64_t *value)
{
    const struct env *env = user;

    *value = env->value[var_index(name)];
    return true;
}

static inline struct env random_env(struct lift_rng *rng)
{
    struct env env;

    for (int i = 0; i < COUNT(vars); i++) {
        int64_t lo = vars[i].lo == LIFT_NAT_MIN ? -60 : vars[i].lo;
        int64_t hi = vars[i].hi == LIFT_NAT_MAX ? 60 : vars[i].hi;
        uint64_t edge = lift_rng_below(rng, 6);

        env.value[i] = edge == 0 ? lo : edge == 1 ? hi : lift_rng_range(rng, lo, hi);
    }
    return env;
}

/* ---- trees ---- */

struct tree {
    char op; /* 'c' constant, 'v' variable, '+' '-' '*' '/' '%', 'C' ceil, '<' min, '>'
                max */
    int64_t value;
    struct tree *a, *b;
};

static inline struct tree *leaf(struct lift_arena *arena, char op, int64_t value)
{
    struct tree *t = LIFT_NEW(arena, struct tree);

    *t = (struct tree){.op = op, .value = value};
    return t;
}

static inline struct tree *pair(struct lift_arena *arena, char op, struct tree *a,
                                struct tree *b)
{
    struct tree *t = LIFT_NEW(arena, struct tree);

    *t = (struct tree){.op = op, .a = a, .b = b};
    return t;
}

static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;

    while (q * b > a)
        q--;
    return q;
}

static inline bool apply(char op, int64_t a, int64_t b, int64_t *out)
{
    if (strchr("/%C", op) && b < 1)
        return false;
    switch (op) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return !__builtin_mul_overflow(a, b, out);
    case '/':
        *out = floor_div(a, b);
        return true;
    case '%':
        *out = a - b * floor_div(a, b);
        return true;
    case 'C':
        *out = -floor_div(-a, b);
        return true;
    case '<':
        *out = a < b ? a : b;
        return true;
    default:
        *out = a > b ? a : b;
        return true;
    }
}

/* The definition that everything is compared with; false if a divisor is below 1. */
static inline bool tree_eval(const struct tree *t, const struct env *env, int64_t *out)
{
    int64_t a, b;

    if (t->op == 'c' || t->op == 'v') {
        *out = t->op == 'c' ? t->value : env->value[t->value];
        return true;
    }
    return tree_eval(t->a, env, &a) && tree_eval(t->b, env, &b) &&
           apply(t->op, a, b, out);
}

static inline lift_nat combine(char op, lift_nat a, lift_nat b)
{
    switch (op) {
    case '+':
        return lift_nat_add(a, b);
    case '-':
        return lift_nat_sub(a, b);
    case '*':
        return lift_nat_mul(a, b);
    case '/':
        return lift_nat_div(a, b);
    case '%':
        return lift_nat_mod(a, b);
    case 'C':
        return lift_nat_ceil_div(a, b);
    case '<':
        return lift_nat_min(a, b);
    default:
        return lift_nat_max(a, b);
    }
}

static inline lift_nat tree_build(struct lift_nats *nats, const struct tree *t)
{
    if (t->op == 'c')
        return lift_nat_const(nats, t->value);
    if (t->op == 'v')
        return var(nats, (int)t->value);
    return combine(t->op, tree_build(nats, t->a), tree_build(nats, t->b));
}

/* ---- a parser with the precedence of C ---- */

struct parser {
    const char *at;
    struct lift_arena *arena;
};

static inline struct tree *parse_sum(struct parser *p);

static inline bool accept(struct parser *p, const char *text)
{
    while (*p->at == ' ')
        p->at++;
    if (strncmp(p->at, text, strlen(text)))
        return false;
    p->at += strlen(text);
    return true;
}

static inline struct tree *parse_call(struct parser *p, char op)
{
    struct tree *a = parse_sum(p), *b;

    assert_true(accept(p, ","));
    b = parse_sum(p);
    assert_true(accept(p, ")"));
    return pair(p->arena, op, a, b);
}

static inline struct tree *parse_operand(struct parser *p)
{
    char name[2] = {0}, *end;
    struct tree *t;

    if (accept(p, "-"))
        return pair(p->arena, '-', leaf(p->arena, 'c', 0), parse_operand(p));
    if (accept(p, "min("))
        return parse_call(p, '<');
    if (accept(p, "max("))
        return parse_call(p, '>');
    if (accept(p, "ceil("))
        return parse_call(p, 'C');
    if (accept(p, "(")) {
        t = parse_sum(p);
        assert_true(accept(p, ")"));
        return t;
    }
    if (*p->at >= '0' && *p->at <= '9') {
        t = leaf(p->arena, 'c', strtoll(p->at, &end, 10));
        p->at = end;
        return t;
    }
    name[0] = *p->at++;
    assert_true(var_index(name) >= 0);
    return leaf(p->arena, 'v', var_index(name));
}

static inline struct tree *parse_product(struct parser *p)
{
    struct tree *t = parse_operand(p);

    for (;;) {
        if (accept(p, "*"))
            t = pair(p->arena, '*', t, parse_operand(p));
        else if (accept(p, "/"))
            t = pair(p->arena, '/', t, parse_operand(p));
        else if (accept(p, "%"))
            t = pair(p->arena, '%', t, parse_operand(p));
        else
            return t;
    }
}

static inline struct tree *parse_sum(struct parser *p)
{
    struct tree *t = parse_product(p);

    for (;;) {
        if (accept(p, "+"))
            t = pair(p->arena, '+', t, parse_product(p));
        else if (accept(p, "-"))
            t = pair(p->arena, '-', t, parse_product(p));
        else
            return t;
    }
}

static inline struct tree *parse(struct lift_arena *arena, const char *text)
{
    struct parser p = {text, arena};
    struct tree *t = parse_sum(&p);

    assert_true(accept(&p, ""));
    assert_int_equal(*p.at, '\0');
    return t;
}

/* ---- fixture ---- */

struct world {
    struct lift_arena *arena;
    struct lift_nats *nats;
};

static inline struct world world_open(void)
{
    struct lift_arena *arena = lift_arena_create();

    return (struct world){arena, lift_nats_create(arena)};
}

static inline void world_close(struct world *w)
{
    lift_nats_fini(w->nats);
    lift_arena_destroy(w->arena);
}

static inline lift_nat read_nat(struct world *w, const char *text)
{
    return tree_build(w->nats, parse(w->arena, text));
}

static inline void text_of(lift_nat n, struct lift_str *out)
{
    lift_str_clear(out);
    lift_nat_print(n, 0, out);
}

static inline lift_nat no_lookup(void *user, lift_nat v)
{
    (void)user;
    (void)v;
    return NULL;
}

#endif

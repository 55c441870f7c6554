/* Converts syntax to sizes, for programs and rules. */
#include "ir/syntax.h"
#include "lift/ir.h"
#include <stdio.h>
#include <string.h>

__attribute__((noreturn)) static void fail(const struct syntax_sizes *s,
                                           const struct syntax_node *n, const char *text)
{
    s->fail(s->user, n->span, text);
    __builtin_unreachable();
}

static lift_nat combine(const struct syntax_sizes *s, char op, lift_nat a, lift_nat b,
                        const struct syntax_node *n)
{
    lift_nat nat;

    if ((op == '/' || op == '%') && lift_nat_hi(b) < 1)
        fail(s, n, "division by a size that is not positive");
    nat = lift_nat_combine(op, a, b);
    if (!nat)
        fail(s, n, "a size that is too large");
    return nat;
}

static lift_nat binary(const struct syntax_sizes *s, const struct syntax_node *n,
                       lift_nat a, lift_nat b)
{
    static const char ops[] = {[TOKEN_PLUS] = '+',
                               [TOKEN_MINUS] = '-',
                               [TOKEN_STAR] = '*',
                               [TOKEN_SLASH] = '/',
                               [TOKEN_PERCENT] = '%'};

    if ((size_t)n->op >= sizeof ops || !ops[n->op])
        fail(s, n, "sizes know + - * / % min max ceil only");
    return combine(s, ops[n->op], a, b, n);
}

/* min(a, b), max(a, b), and ceil(a / b), the quotient rounded up. */
static lift_nat call(const struct syntax_sizes *s, const struct syntax_node *n)
{
    const char *name = n->args[0]->kind == NODE_NAME ? syntax_bare(n->args[0]->text) : "";
    const struct syntax_node *const *args = n->args + 1;
    bool ceil = strcmp(name, "ceil") == 0 && n->arg_count == 2 &&
                args[0]->kind == NODE_BINARY && args[0]->op == TOKEN_SLASH;
    bool min = strcmp(name, "min") == 0, max = strcmp(name, "max") == 0;
    lift_nat a, b;

    if (!ceil && !((min || max) && n->arg_count == 3))
        fail(s, n, "expected a size: min(a, b), max(a, b) or ceil(a / b), not this call");
    if (ceil)
        args = args[0]->args;
    a = syntax_size(s, args[0]);
    b = syntax_size(s, args[1]);
    if (ceil) {
        a = combine(s, '+', a, b, n);
        return combine(s, '/', combine(s, '-', a, lift_nat_const(s->nats, 1), n), b, n);
    }
    combine(s, '+', a, b, n); /* checks that neither is too large */
    return min ? lift_nat_min(a, b) : lift_nat_max(a, b);
}

lift_nat syntax_size(const struct syntax_sizes *s, const struct syntax_node *n)
{
    lift_nat nat;

    switch (n->kind) {
    case NODE_INT:
        if (n->integer > LIFT_NAT_MOST || n->integer < -LIFT_NAT_MOST)
            fail(s, n, "a size that is too large");
        return lift_nat_const(s->nats, n->integer);
    case NODE_UNARY:
        return binary(s, n, lift_nat_const(s->nats, 0), syntax_size(s, n->args[0]));
    case NODE_BINARY:
        nat = syntax_size(s, n->args[0]);
        return binary(s, n, nat, syntax_size(s, n->args[1]));
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_CALL:
        nat = s->leaf(s->user, n);
        if (nat || n->kind == NODE_CALL)
            return nat ? nat : call(s, n);
        break;
    default:
        break;
    }
    fail(s, n, "expected a size, which is known before the program runs");
}

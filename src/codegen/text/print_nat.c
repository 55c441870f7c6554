/* Prints index arithmetic as C text. */
#include "base/bug.h"
#include "codegen/text/dialect.h"
#include <stdarg.h>

void cg_open_paren(struct printer *p, bool yes)
{
    if (yes)
        lift_str_addc(p->out, '(');
}

void cg_close_paren(struct printer *p, bool yes)
{
    if (yes)
        lift_str_addc(p->out, ')');
}

void cg_put(struct printer *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (const char *c = format; *c; c++)
        if (*c != '%')
            lift_str_addc(p->out, *c);
        else if (*++c == 's')
            lift_str_add(p->out, va_arg(args, const char *));
        else if (*c == 'd')
            lift_str_addf(p->out, "%d", va_arg(args, int));
        else if (*c == 'l')
            lift_str_addf(p->out, "%lld", (long long)va_arg(args, int64_t));
        else if (*c == 'n')
            cg_print_nat(p, va_arg(args, lift_nat), 0);
        else if (*c == 'x')
            cg_print_kx(p, va_arg(args, kx), 0);
        else if (*c == 't')
            cg_print_type(p, va_arg(args, lift_type));
        else
            LIFT_BUG("no argument of kind '%c'", *c);
    va_end(args);
}

static void call2(struct printer *p, const char *name, lift_nat a, lift_nat b)
{
    cg_put(p, "%s(%n, %n)", name, a, b);
}

/* Prints a quotient or a remainder. C rounds towards zero, which equals floor if the
 * dividend is not negative. */
static void print_divided(struct printer *p, lift_nat a, lift_nat b, bool mod, int parent)
{
    if (lift_nat_lo(a) < 0) {
        p->uses_div = true;
        call2(p, mod ? "lift_mod" : "lift_div", a, b);
        return;
    }
    cg_open_paren(p, parent > P_PRODUCT);
    cg_print_nat(p, a, P_PRODUCT);
    lift_str_add(p->out, mod ? " % " : " / ");
    cg_print_nat(p, b, P_UNARY);
    cg_close_paren(p, parent > P_PRODUCT);
}

static void print_atom(struct printer *p, struct lift_atom a, int parent)
{
    switch (a.kind) {
    case LIFT_ATOM_VAR:
        lift_str_add(p->out, a.name);
        break;
    case LIFT_ATOM_DIV:
        print_divided(p, a.a, a.b, false, parent);
        break;
    case LIFT_ATOM_MIN:
    case LIFT_ATOM_MAX:
        p->uses_minmax = true;
        call2(p, a.kind == LIFT_ATOM_MIN ? "LIFT_MIN" : "LIFT_MAX", a.a, a.b);
        break;
    }
}

/* Prints one term without its sign. */
static void print_term(struct printer *p, lift_nat n, int term, int64_t coef, int parent)
{
    int factors;

    lift_nat_term(n, term, &factors);
    coef = coef < 0 ? -coef : coef;
    if (factors == 0) {
        lift_str_addf(p->out, "%lld", (long long)coef);
        return;
    }
    if (factors == 1 && coef == 1) {
        print_atom(p, lift_nat_factor(n, term, 0), parent);
        return;
    }
    cg_open_paren(p, parent > P_PRODUCT);
    for (int i = 0; i < factors; i++) {
        if (i)
            lift_str_add(p->out, " * ");
        print_atom(p, lift_nat_factor(n, term, i), i ? P_UNARY : P_PRODUCT);
    }
    if (coef != 1)
        lift_str_addf(p->out, " * %lld", (long long)coef);
    cg_close_paren(p, parent > P_PRODUCT);
}

struct modulus {
    lift_nat rest, x, d;
    int64_t coef;
};

/* Finds n = rest + coef * (x mod d), if 'n' contains a quotient by a constant that is
 * part of a remainder. */
static bool find_mod(lift_nat n, struct modulus *m)
{
    for (int i = 0; i < lift_nat_term_count(n); i++) {
        int factors;
        int64_t coef = lift_nat_term(n, i, &factors), d;
        struct lift_atom a;

        if (factors != 1)
            continue;
        a = lift_nat_factor(n, i, 0);
        if (a.kind != LIFT_ATOM_DIV || !lift_nat_is_const(a.b, &d) || coef % d != 0)
            continue;
        *m = (struct modulus){NULL, a.a, a.b, -coef / d};
        m->rest = lift_nat_sub(n, lift_nat_mul_const(lift_nat_mod(a.a, a.b), m->coef));
        if (lift_nat_term_count(m->rest) < lift_nat_term_count(n))
            return true;
    }
    return false;
}

static void print_mod_sum(struct printer *p, const struct modulus *m, int parent)
{
    bool alone = lift_nat_is(m->rest, 0);
    int64_t c = m->coef < 0 ? -m->coef : m->coef;
    int level = alone && m->coef > 0 ? P_PRODUCT : P_SUM;

    cg_open_paren(p, parent > level);
    if (!alone)
        cg_print_nat(p, m->rest, P_SUM);
    lift_str_add(p->out, alone ? (m->coef < 0 ? "-" : "") : m->coef < 0 ? " - " : " + ");
    print_divided(p, m->x, m->d, true, P_PRODUCT);
    if (c != 1)
        lift_str_addf(p->out, " * %lld", (long long)c);
    cg_close_paren(p, parent > level);
}

void cg_print_nat(struct printer *p, lift_nat n, int parent)
{
    int terms = lift_nat_term_count(n), factors;
    struct modulus m;
    bool group;

    if (terms == 0) {
        lift_str_addc(p->out, '0');
        return;
    }
    if (find_mod(n, &m)) {
        print_mod_sum(p, &m, parent);
        return;
    }
    group = parent > (terms > 1 ? P_SUM : P_UNARY) ||
            (parent > P_SUM && lift_nat_term(n, 0, &factors) < 0);
    if (terms == 1 && lift_nat_term(n, 0, &factors) > 0) {
        print_term(p, n, 0, lift_nat_term(n, 0, &factors), parent);
        return;
    }
    cg_open_paren(p, group);
    for (int i = 0; i < terms; i++) {
        int64_t coef = lift_nat_term(n, i, &factors);

        lift_str_add(p->out, i ? (coef < 0 ? " - " : " + ") : coef < 0 ? "-" : "");
        print_term(p, n, i, coef, i && coef < 0 ? P_PRODUCT : P_SUM);
    }
    cg_close_paren(p, group);
}

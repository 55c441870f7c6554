/* Text of a nat. The printer recovers 'x % d' from 'x - d * div(x, d)', whose terms are
 * spread over the sum. The printer estimates the operands, rebuilds the mod, and
 * subtracts the mod from the sum. The estimate is right if the remaining sum is
 * shorter. */
#include "ir/nat/nat_t.h"
#include <inttypes.h>

/* One part of a printed sum: by * (x % d), or the term 'by' itself if there is no x. */
struct part {
    struct nat_term by;
    lift_nat x, d;
};

/* ---- finding mod ---- */

static bool take_mod(lift_nat sum, struct part *p, lift_nat *rest)
{
    lift_nat mod = lift_nat_mod(p->x, p->d);

    if (lift_nat_is_const(mod, NULL) || p->by.coef == INT64_MIN)
        return false;
    *rest = nat_try_madd(sum, mod, -p->by.coef, p->by.mono);
    return *rest && (*rest)->count + 2 <= sum->count;
}

/* Succeeds if 't' without the div is -by * d. */
static bool mod_of_div(lift_nat sum, const struct nat_atom *div, struct nat_term t,
                       struct part *p, lift_nat *rest)
{
    struct nat_term d = div->b->terms[0];

    p->by.mono = nat_mono_quot(sum->pool, t.mono, d.mono);
    if (!p->by.mono || t.coef % d.coef)
        return false;
    p->by.coef = -(t.coef / d.coef);
    p->x = div->a;
    p->d = div->b;
    return take_mod(sum, p, rest);
}

/* As mod_of_div for div(div(y, a), d), whose normal form in the sum is div(y, a * d).
 * 'times' is an estimate of the magnitude of the coefficient of 'by'. */
static bool mod_of_nested(lift_nat sum, const struct nat_atom *div, struct nat_term t,
                          int64_t times, struct part *p, lift_nat *rest)
{
    struct lift_nats *nats = sum->pool;
    lift_nat zero = lift_nat_const(nats, 0), one = lift_nat_const(nats, 1), a;
    struct nat_term all = div->b->terms[0], d;

    d.mono = nat_mono_gcd(nats, t.mono, all.mono);
    d.coef = t.coef / times;
    d.coef = d.coef < 0 ? -d.coef : d.coef;
    if (t.coef % times || all.coef % d.coef || (d.coef == 1 && !d.mono->count))
        return false;
    p->by.mono = nat_mono_quot(nats, t.mono, d.mono);
    p->by.coef = t.coef < 0 ? times : -times;
    p->d = nat_try_madd(zero, one, d.coef, d.mono);
    a = nat_quot_term(div->b, d);
    if (!a || p->d == div->b)
        return false;
    p->x = lift_nat_div(div->a, a);
    return take_mod(sum, p, rest);
}

static bool mod_of_atom(lift_nat sum, const struct nat_atom *div, struct nat_term t,
                        struct part *p, lift_nat *rest)
{
    if (!div->b->count || t.coef == INT64_MIN)
        return false;
    t.mono = nat_mono_quot(sum->pool, t.mono, div->mono);
    if (mod_of_div(sum, div, t, p, rest))
        return true;
    if (div->b->count > 1)
        return false;
    if (mod_of_nested(sum, div, t, 1, p, rest))
        return true;
    for (int i = 0; i < sum->count; i++) {
        int64_t c = sum->terms[i].coef;

        if (c != INT64_MIN && c != 1 && c != -1 && sum->terms[i].mono->count &&
            mod_of_nested(sum, div, t, c < 0 ? -c : c, p, rest))
            return true;
    }
    return false;
}

static bool find_mod(lift_nat sum, struct part *p, lift_nat *rest)
{
    for (int t = 0; t < sum->count; t++) {
        const struct nat_mono *m = sum->terms[t].mono;

        for (int f = 0; f < m->count; f++)
            if (m->factors[f]->kind == LIFT_ATOM_DIV &&
                mod_of_atom(sum, m->factors[f], sum->terms[t], p, rest))
                return true;
    }
    return false;
}

/* ---- text ---- */

/* Prints the left operand of / and %, in which products need no parentheses. */
static void print_left(lift_nat n, struct lift_str *out)
{
    bool product = n->count == 1 && n->terms[0].coef > 0;

    for (int f = 0; product && f < n->terms[0].mono->count; f++)
        product = n->terms[0].mono->factors[f]->kind != LIFT_ATOM_DIV;
    lift_nat_print(n, !product, out);
}

static void print_pair(lift_nat a, const char *op, lift_nat b, bool alone,
                       struct lift_str *out)
{
    if (!alone)
        lift_str_addc(out, '(');
    print_left(a, out);
    lift_str_add(out, op);
    lift_nat_print(b, 1, out);
    if (!alone)
        lift_str_addc(out, ')');
}

static void print_factor(const struct nat_atom *a, bool alone, struct lift_str *out)
{
    if (a->kind == LIFT_ATOM_VAR) {
        lift_str_add(out, a->name);
    } else if (a->kind == LIFT_ATOM_DIV) {
        print_pair(a->a, " / ", a->b, alone, out);
    } else {
        lift_str_add(out, a->kind == LIFT_ATOM_MIN ? "min(" : "max(");
        lift_nat_print(a->a, 0, out);
        lift_str_add(out, ", ");
        lift_nat_print(a->b, 0, out);
        lift_str_addc(out, ')');
    }
}

/* Prints without the sign; 'bare' if a sign directly precedes. */
static void print_part(const struct part *p, bool bare, struct lift_str *out)
{
    int64_t c = p->by.coef;
    uint64_t size = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
    int count = p->by.mono->count + (p->x != NULL), done = 0;

    if (size != 1 || !count) {
        lift_str_addf(out, "%" PRIu64, size);
        done = 1;
    }
    for (int f = 0; f < p->by.mono->count; f++) {
        lift_str_add(out, done++ ? "*" : "");
        print_factor(p->by.mono->factors[f], bare && count == 1 && size == 1, out);
    }
    if (!p->x)
        return;
    lift_str_add(out, done ? "*" : "");
    print_pair(p->x, " % ", p->d, bare && count == 1 && size == 1, out);
}

enum { MAX_PARTS = 64 };

/* Splits the sum into parts. Returns false if the sum has too many terms for the search
 * of mods. */
static int split_parts(lift_nat n, struct part parts[MAX_PARTS])
{
    int count = 0;
    lift_nat rest;

    while (n->depth && count < MAX_PARTS / 2 && find_mod(n, &parts[count], &rest)) {
        n = rest;
        count++;
    }
    if (count + n->count > MAX_PARTS)
        return 0;
    for (int i = 0; i < n->count; i++)
        parts[count++] = (struct part){n->terms[i], NULL, NULL};
    return count;
}

/* Prints the first non-negative part first, so that a sum rarely begins with a sign. */
static void print_parts(struct part *parts, int count, struct lift_str *out)
{
    int lead = 0;

    while (lead < count && parts[lead].by.coef < 0)
        lead++;
    if (lead == count) {
        lift_str_addc(out, '-');
        lead = 0;
    }
    print_part(&parts[lead], parts[lead].by.coef > 0, out);
    for (int i = 0; i < count; i++) {
        if (i == lead)
            continue;
        lift_str_add(out, parts[i].by.coef < 0 ? " - " : " + ");
        print_part(&parts[i], true, out);
    }
}

static bool is_operand(lift_nat n)
{
    if (!n->count)
        return true;
    if (n->count > 1 || n->terms[0].coef < 0)
        return false;
    if (!n->terms[0].mono->count)
        return true;
    return n->terms[0].coef == 1 && n->terms[0].mono->count == 1 &&
           n->terms[0].mono->factors[0]->kind != LIFT_ATOM_DIV;
}

/* Prints a sum with too many terms for the search of mods. */
static void print_long(lift_nat n, struct lift_str *out)
{
    for (int i = 0; i < n->count; i++) {
        struct part p = {n->terms[i], NULL, NULL};

        if (i)
            lift_str_add(out, p.by.coef < 0 ? " - " : " + ");
        else if (p.by.coef < 0)
            lift_str_addc(out, '-');
        print_part(&p, i || p.by.coef > 0, out);
    }
}

void lift_nat_print(lift_nat n, int parent, struct lift_str *out)
{
    struct part parts[MAX_PARTS];
    bool open = parent > 0 && !is_operand(n);
    int count = split_parts(n, parts);

    if (open)
        lift_str_addc(out, '(');
    if (!n->count)
        lift_str_addc(out, '0');
    else if (count)
        print_parts(parts, count, out);
    else
        print_long(n, out);
    if (open)
        lift_str_addc(out, ')');
}

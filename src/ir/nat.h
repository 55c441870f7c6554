/* Symbolic integers: the sizes of arrays, the numbers in primitives, and the index
 * expressions of generated code.
 *
 * A nat is immutable and interned in a pool: two nats of one pool are equal as normal
 * forms iff they are the same pointer. The normal form is a sum of monomials
 *
 *     c0 + c1 * a11 * a12 ... + c2 * a21 ... + ...
 *
 * with integer coefficients, whose atoms are variables, floor divisions (div), minima
 * and maxima. Each value has one form only. 'x mod d' is x - d * div(x, d), and 'ceil(x
 * / d)' is div(x + d - 1, d). The printers recover mod. Constructors simplify; there is
 * no separate simplifier. Division rounds down. The divisor is at least 1 for all values
 * of the variables in their ranges. Overflow of 64 bits aborts. */
#ifndef IR_NAT_H
#define IR_NAT_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "lift/ir.h"
#include <stdbool.h>
#include <stdint.h>

/* The pool lives in 'arena'; call lift_nats_fini before the arena is released. */
struct lift_nats *lift_nats_create(struct lift_arena *arena);
void lift_nats_fini(struct lift_nats *nats);

struct lift_nats *lift_nat_pool(lift_nat n);
bool lift_nat_is(lift_nat n, int64_t value);
/* A tunable whose order and hash depend on 'key' instead of its name: renaming a tunable
 * keeps the hash of a term. A pool may have several tunables of one name with different
 * keys and ranges. lift_nat_find_var does not find these tunables. */
lift_nat lift_nat_tunable(struct lift_nats *nats, const char *name, const char *key,
                          int64_t lo, int64_t hi);
/* The key of a variable; except for tunables, its name. */
const char *lift_nat_key(lift_nat var);
/* The name if 'n' is a single variable; otherwise NULL. 'kind' may be NULL. */
const char *lift_nat_is_var(lift_nat n, enum lift_var_kind *kind);

/* Bounds by interval arithmetic over the ranges of the variables. */
int64_t lift_nat_lo(lift_nat n);
int64_t lift_nat_hi(lift_nat n);

/* Proofs. True: the relation holds for all values of the variables within their ranges.
 * False: the prover found no proof. 'facts' are nats known to be >= 0. */
bool lift_nat_proves_ge0(lift_nat n, const lift_nat *facts, int fact_count);
bool lift_nat_proves_le(lift_nat a, lift_nat b);
bool lift_nat_proves_lt(lift_nat a, lift_nat b);
bool lift_nat_proves_divides(lift_nat d, lift_nat n);
/* Nats that are >= 0 exactly if 'n' is. Tight: rounds the constant down to a multiple of
 * the gcd of the other coefficients. For example, 4 * i - 997 becomes 4 * i - 1000.
 * Least: the tight nat divided by this gcd, i - 250. */
lift_nat lift_nat_tight(lift_nat n);
lift_nat lift_nat_least(lift_nat n);
/* Simplifies 'n' under 'facts'. Each min and max that the facts decide becomes one
 * operand; each div(x, d) that they decide becomes a number. */
lift_nat lift_nat_assume(lift_nat n, const lift_nat *facts, int fact_count);

/* Rebuilds 'n' in the pool 'into', which may be that of 'n'. For each variable, 'lookup'
 * returns a nat of 'into', or NULL to keep the variable. */
typedef lift_nat lift_nat_lookup(void *user, lift_nat var);
lift_nat lift_nat_subst(struct lift_nats *into, lift_nat n, lift_nat_lookup *lookup,
                        void *user);
/* 'n' with the variable 'var' replaced by 'value', of the same pool. */
lift_nat lift_nat_with(lift_nat n, lift_nat var, lift_nat value);

/* Evaluates 'n'. Returns false if 'lookup' does not know a variable, or a divisor is
 * below 1. A NULL 'lookup' knows no variable. */
typedef bool lift_nat_value(void *user, const char *name, int64_t *value);
bool lift_nat_eval(lift_nat n, lift_nat_value *lookup, void *user, int64_t *value);

/* The largest number in nats of source texts; far from overflow. */
#define LIFT_NAT_MOST ((int64_t)1 << 50)

/* A bound of all numbers in the normal form of 'n', saturating at INT64_MAX. Each
 * variable represents a nat that 'weight' bounds (NULL: 2). */
typedef int64_t lift_nat_weight(void *user, lift_nat var);
int64_t lift_nat_measure(lift_nat n, lift_nat_weight *weight, void *user);
/* a op b, where op is one of + - * / %. NULL if a number in the result might exceed
 * LIFT_NAT_MOST. */
lift_nat lift_nat_combine(char op, lift_nat a, lift_nat b);
/* Calls 'visit' for each coefficient and constant in 'n'. */
void lift_nat_each_number(lift_nat n, void (*visit)(void *user, int64_t number),
                          void *user);

/* Calls 'visit' once for each variable that occurs in 'n', in the order of the normal
 * form. */
struct lift_var {
    lift_nat nat;
    const char *name, *key; /* equal except for tunables */
    enum lift_var_kind kind;
    int64_t lo, hi;
};
typedef void lift_nat_visit(void *user, const struct lift_var *var);
void lift_nat_each_var(lift_nat n, lift_nat_visit *visit, void *user);
bool lift_nat_mentions(lift_nat n, enum lift_var_kind kind);
/* True if the variable occurs in 'n'. */
bool lift_nat_has(lift_nat n, lift_nat var);

/* A hash that depends on names and numbers, never on addresses: equal on every
 * machine. */
struct lift_hash lift_nat_hash(lift_nat n);
/* A total order that does not depend on addresses: negative, zero or positive. */
int lift_nat_compare(lift_nat a, lift_nat b);

/* Structure, for printers. A nat is a sum of lift_nat_term_count terms (0 for the
 * constant 0); each is 'coef' times the product of 'factor_count' atoms. */
enum lift_atom_kind { LIFT_ATOM_VAR, LIFT_ATOM_DIV, LIFT_ATOM_MIN, LIFT_ATOM_MAX };

struct lift_atom {
    enum lift_atom_kind kind;
    const char *name; /* VAR */
    lift_nat a, b;    /* the operands of DIV, MIN, MAX */
};

int lift_nat_term_count(lift_nat n);
int64_t lift_nat_term(lift_nat n, int term, int *factor_count);
struct lift_atom lift_nat_factor(lift_nat n, int term, int factor);

#endif

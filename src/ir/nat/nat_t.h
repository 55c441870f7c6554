/* Private parts of ir/nat.h, shared by the nat*.c files only. nat.c describes the normal
 * form. */
#ifndef IR_NAT_NAT_T_H
#define IR_NAT_NAT_T_H

#include "base/table.h"
#include "ir/nat.h"

/* All integers from lo to hi; LIFT_NAT_MIN and LIFT_NAT_MAX mean no bound on that side.
 */
struct nat_range {
    int64_t lo, hi;
};

struct nat_atom {
    enum lift_atom_kind kind;
    enum lift_var_kind var_kind;
    const char *name, *key; /* VAR: order and hash depend on the key */
    lift_nat a, b;
    struct nat_range range;
    struct lift_hash hash;
    uint64_t vars;  /* one bit per variable; several may share a bit */
    unsigned kinds; /* one bit per kind of variable in the atom */
    int depth;      /* nesting of div, min, max; 0 for a variable */
    const struct nat_mono *mono;
    lift_nat self; /* the nat that consists of this atom */
};

/* A product of atoms in ascending order, repeated for powers; interned. */
struct nat_mono {
    struct lift_hash hash;
    struct nat_range range;
    uint64_t vars;
    unsigned kinds;
    int depth, count;
    const struct nat_atom *factors[];
};

struct nat_term {
    int64_t coef;
    const struct nat_mono *mono;
};

/* Most nats are temporaries, so hash and range are computed on first use. */
struct lift_nat_node {
    struct lift_nats *pool;
    struct lift_hash hash;
    struct nat_range range;
    bool hashed, ranged;
    uint64_t vars;
    unsigned kinds;
    int depth, count;
    struct nat_term terms[];
};

enum { NAT_FIRST_CONST = -8, NAT_CONSTS = 256 };

struct lift_nats {
    struct lift_arena *arena;
    struct lift_table nats, monos, atoms;
    const struct nat_mono *one; /* the empty product */
    lift_nat consts[NAT_CONSTS];
    const lift_nat *facts; /* set while lift_nat_assume rebuilds a nat */
    int fact_count;
};

/* Terms in the order of the normal form, borrowed from a nat or from a nat_sum. */
struct nat_view {
    const struct nat_term *terms;
    int count;
};

/* A sum under construction; small sums need no heap. */
enum { NAT_LOCAL_TERMS = 20 };
struct nat_sum {
    struct nat_term *terms;
    int count, cap;
    struct nat_term local[NAT_LOCAL_TERMS];
};

void nat_sum_init(struct nat_sum *s);
void nat_sum_fini(struct nat_sum *s);
void nat_sum_push(struct nat_sum *s, int64_t coef, const struct nat_mono *mono);
static inline struct nat_view nat_sum_view(const struct nat_sum *s)
{
    return (struct nat_view){s->terms, s->count};
}
static inline struct nat_view nat_view(lift_nat n)
{
    return (struct nat_view){n->terms, n->count};
}

/* Interning. Terms must be in order, without zero coefficients. */
lift_nat nat_intern(struct lift_nats *nats, struct nat_view v);
lift_nat nat_intern_atom(struct lift_nats *nats, enum lift_atom_kind kind, lift_nat a,
                         lift_nat b);

static inline uint64_t nat_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

int nat_mono_compare(const struct nat_mono *a, const struct nat_mono *b);
/* The mono of a new atom. */
const struct nat_mono *nat_mono_of_atom(struct lift_nats *nats,
                                        const struct nat_atom *atom);
const struct nat_mono *nat_mono_mul(struct lift_nats *nats, const struct nat_mono *a,
                                    const struct nat_mono *b);
/* a / b, or NULL if b does not divide a. */
const struct nat_mono *nat_mono_quot(struct lift_nats *nats, const struct nat_mono *a,
                                     const struct nat_mono *b);
const struct nat_mono *nat_mono_gcd(struct lift_nats *nats, const struct nat_mono *a,
                                    const struct nat_mono *b);
/* The atom if the mono is a single atom of this kind; otherwise NULL. */
const struct nat_atom *nat_mono_is(const struct nat_mono *m, enum lift_atom_kind kind);

/* Computes out = x + c * m * y; false on overflow. 'out' must be empty. */
bool nat_madd(struct lift_nats *nats, struct nat_sum *out, struct nat_view x,
              struct nat_view y, struct nat_term cm);
/* x + c * m * y as a nat, or NULL on overflow. */
lift_nat nat_try_madd(lift_nat x, lift_nat y, int64_t c, const struct nat_mono *m);
/* Asserts that no overflow occurred. */
lift_nat nat_must(lift_nat n);
lift_nat nat_try_sub(lift_nat x, lift_nat y);
lift_nat nat_try_mul(lift_nat x, lift_nat y);
/* Divides every term exactly; NULL if a term is not a multiple. */
lift_nat nat_quot_term(lift_nat n, struct nat_term by);
/* The greatest positive term that divides all of 'n'; {0, one} for the nat 0. */
struct nat_term nat_content(lift_nat n);
/* The product of the factors of 'm' that are at least 'lo'. */
const struct nat_mono *nat_mono_at_least(struct lift_nats *nats, const struct nat_mono *m,
                                         int64_t lo);

int64_t nat_gcd(int64_t a, int64_t b); /* not negative */
static inline int64_t nat_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static inline int64_t nat_floor_mod(int64_t a, int64_t b) /* b > 0 */
{
    return a % b < 0 ? a % b + b : a % b;
}

/* Interval arithmetic; bounds saturate to 'no bound'. */
struct nat_range nat_range_add(struct nat_range a, struct nat_range b);
struct nat_range nat_range_mul(struct nat_range a, struct nat_range b);
struct nat_range nat_range_scale(struct nat_range a, int64_t c);
struct nat_range nat_range_div(struct nat_range a, struct nat_range b);
struct nat_range nat_atom_range(const struct nat_atom *atom);
struct nat_range nat_bounds(struct lift_nats *nats, struct nat_view v);
struct nat_range nat_range_slow(lift_nat n);
static inline struct nat_range nat_range(lift_nat n)
{
    return n->ranged ? n->range : nat_range_slow(n);
}

/* Proves with the current facts, see lift_nat_assume. */
bool nat_proves_ge0(lift_nat n);

/* x = q * d + r, where the leading term of d divides no term of r. Returns false on
 * overflow and sets nothing. */
bool nat_reduce(lift_nat x, lift_nat d, lift_nat *q, lift_nat *r);

#endif

/* A scalar together with how far a kernel may be from it (running error analysis).
 *
 * Under the relaxed contract sums may be reordered, multiplications contracted and
 * distributed, quotients made products. A sum of products is charged one rounding of its
 * largest possible value, 'mag', for each of its operations, 'terms', whatever their
 * order; 'base' has the errors of other operations. Under the exact contract values are
 * rounded after each operation as IEEE 754 says, and only functions of libm have errors.
 * i32 and bool are exact or unknown. */
#ifndef RANDOM_NUM_H
#define RANDOM_NUM_H

#include "ast.h"

struct rp_num {
    enum rp_kind kind;
    bool
        sure; /* of i32 and bool; floats that nothing is known of have an infinite base */
    double terms; /* grows by a factor with each step of an iterate */
    long double v;
    double base, mag;
};

/* Rounded to the nearest number of the kind, ties to even. */
double rp_round(enum rp_kind kind, double value);
struct rp_num rp_num_of(enum rp_kind kind, double value);
struct rp_num rp_num_unknown(enum rp_kind kind);
/* Of floats; 0 or infinity of others. */
double rp_num_error(struct rp_num a);
bool rp_num_known(struct rp_num a);
struct rp_num rp_num_convert(bool exact, enum rp_kind to, struct rp_num a);
/* No longer a sum: the value as stored. */
struct rp_num rp_num_closed(struct rp_num a);
/* Operands have one kind. '*bad' is set by overflow of i32, and by divisions by 0. */
struct rp_num rp_num_binary(bool exact, enum rp_op op, struct rp_num a, struct rp_num b,
                            bool *bad);
struct rp_num rp_num_unary(bool exact, enum rp_op op, struct rp_num a, bool *bad);
/* The chosen side of an 'if'. */
struct rp_num rp_num_chosen(bool exact, struct rp_num a);
/* One of the two, it is not known which. */
struct rp_num rp_num_either(struct rp_num a, struct rp_num b);

#endif

/* Random terms for the check of rules. One generator draws every choice, so a seed
 * reproduces the terms. */
#ifndef RULES_CHECK_CHECK_GEN_H
#define RULES_CHECK_CHECK_GEN_H

#include "base/rng.h"
#include "lift/build.h"
#include "rules/native/native.h"

enum { GEN_MAX_INPUTS = 24, GEN_MAX_SCOPE = 16, GEN_MAX_SIZES = 2 };

/* check_marks.c: marks are numbers near which a rule may behave differently. */
enum { CHECK_MARKS = 16 };

struct check_marks {
    bool compared; /* collect only literals that a comparison uses */
    int64_t sizes[CHECK_MARKS];
    int size_count;
    double reals[CHECK_MARKS]; /* literals, including integers */
    int real_count;
};

void check_marks_of_rule(struct check_marks *m, const struct rule_def *def);
void check_marks_of_tunable(struct check_marks *m, int64_t lo, int64_t hi);
void check_marks_of_term(struct check_marks *m, lift_expr e);
/* Draws a length near one of the sizes; 0: there is no size, or the length is too large.
 */
int64_t check_marks_length(const struct check_marks *m, struct lift_rng *rng);
/* Draws a value of a tunable: an end of its range, a value near one of the sizes, or a
 * small value. */
int64_t check_marks_tunable(const struct check_marks *m, struct lift_rng *rng, int64_t lo,
                            int64_t hi);

struct check_gen {
    struct lift_ir *ir;
    int dims; /* number of dimensions in the name of the rule, or 0 */
    struct lift_rng *rng;
    const struct check_marks *marks;
    int max_len;     /* maximal length of the outermost dimension */
    int fuel;        /* maximal depth of random functions */
    int64_t lens[3]; /* preferred lengths of this draw, so that arrays often agree */
    int64_t code; /* the small sizes of this draw, one digit each; -1: sizes are random */
    lift_expr inputs[GEN_MAX_INPUTS];
    int input_count;
    lift_nat sizes[GEN_MAX_SIZES];      /* size variables */
    int64_t size_values[GEN_MAX_SIZES]; /* values of the variables, which the check
                                           substitutes */
    int size_count;
};

/* Values in scope of the generated function. */
struct gen_scope {
    lift_expr vars[GEN_MAX_SCOPE];
    int count;
};

void gen_init(struct check_gen *g, struct lift_ir *ir, struct lift_rng *rng,
              const struct check_marks *marks, int max_len, int fuel);
int gen_below(struct check_gen *g, int n);
int gen_between(struct check_gen *g, int lo, int hi);
/* Returns true in 'percent' of the draws. */
bool gen_chance(struct check_gen *g, int percent);
/* Returns the next size from a digit of 'code', at least 'lo'; -1: sizes are random. */
int gen_next_size(struct check_gen *g, int lo);
lift_nat gen_nat(struct check_gen *g, int64_t value);
/* Returns a symbolic size for the redex; a redex has at most GEN_MAX_SIZES. The check
 * replaces the size by 'value' after applying the rule. */
lift_nat gen_size(struct check_gen *g, int64_t value);
lift_type gen_f32(struct check_gen *g);
/* Returns the length of an array type of constant length; 1 for other types. */
int64_t gen_len(lift_type t);

/* Returns a new free variable, to which the check assigns a random value. NULL if there
 * are GEN_MAX_INPUTS. */
lift_expr gen_input(struct check_gen *g, lift_type type);
/* Returns an array type of 'rank' dimensions with a random element type. */
lift_type gen_type(struct check_gen *g, int rank);
/* Returns the array type with these constant lengths. */
lift_type gen_array(struct check_gen *g, lift_type elem, const int64_t *len, int rank);
/* Generates a lambda that depends on all its parameters, on their order, and sometimes on
 * outer variables. 'result' may be NULL: any type. */
lift_expr gen_function(struct check_gen *g, const lift_type *params, int count,
                       lift_type result);
/* Generates the index function of a reorder of 'len' elements. */
lift_expr gen_index_function(struct check_gen *g, int64_t len);

/* check_pattern.c: generates an instance of the left-hand side, or of a native rule's
 * pattern after "like"; NULL if the draw failed. */
lift_expr gen_instance(struct check_gen *g, const struct rule_def *def);

/* Redexes of native rules. */
#define NATIVE(name, root, flat, numbers, rule, redex, most) rule_redex_fn redex_##redex;
#include "rules/native/natives.def"

/* check_index.c */
/* Generates array_n of these lengths. The elements are predicates of the indices, or
 * integers that predicates select. */
lift_expr gen_index_array(struct check_gen *g, int d, const int64_t *len);
/* Builds map_n over 'members'. The last member, a gen_index_array, selects among the
 * others. */
lift_expr gen_chosen(struct check_gen *g, int d, const lift_expr *members, int count);

/* The windows of a stencil in each dimension. */
struct gen_shape {
    int d;
    int64_t len[LIFT_MAX_DIMS];  /* number of windows in each dimension */
    int64_t step[LIFT_MAX_DIMS]; /* equal for all members of a zip */
};
/* Draws a shape with 'shortest' to 'most' windows in each dimension. */
struct gen_shape gen_shape(struct check_gen *g, int d, int shortest, int most);

/* Sizes and steps of windows, and the lengths of an array with these windows. */
struct gen_windows {
    lift_nat size[LIFT_MAX_DIMS], step[LIFT_MAX_DIMS];
    int64_t len[LIFT_MAX_DIMS];
};
struct gen_windows gen_windows(struct check_gen *g, const struct gen_shape *s,
                               int longest);

/* The boundary of an array: 'value', or a pad of this kind if 'value' is NULL. */
struct gen_boundary {
    enum lift_pad_kind kind;
    lift_expr value;
};
lift_expr gen_pad(struct check_gen *g, int d, const lift_nat *l, const lift_nat *r,
                  struct gen_boundary b, lift_expr xs);
/* Draws a boundary: a constant, or a pad that repeats elements. */
struct gen_boundary gen_boundary(struct check_gen *g);
/* Builds windows around every point of 'xs', which reach at most 'most' elements to each
 * side. 'centre' (may be NULL) receives the index of the point in its window. NULL 'xs'
 * gives NULL. */
lift_expr gen_around(struct check_gen *g, int d, int most, struct gen_boundary b,
                     lift_expr xs, lift_nat *centre);
/* Returns the array if there is one, otherwise the zip of all arrays. A NULL member gives
 * NULL. */
lift_expr gen_zip(struct check_gen *g, int d, const lift_expr *members, int count);
/* Builds map_n of a random function with result type 'result' (NULL: any). NULL 'xs'
 * gives NULL. */
lift_expr gen_map(struct check_gen *g, int d, lift_expr xs, lift_type result);

#endif

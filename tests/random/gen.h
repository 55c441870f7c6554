/* Random programs, generated from the desired type inwards. The operand of a grid is an
 * input, declared on demand, a variable in scope, or a further grid. Every draw succeeds,
 * except for errors that only the values show: see rp_generate. */
#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include "ast.h"
#include "base/rng.h"

/* Words that programs use as names; none: plain ones. */
struct rp_names {
    const char *const *word;
    int count;
};

struct rp_options {
    struct rp_names names;
    bool stages; /* programs of two to four stages, each of windows of the one before */
};

/* A program with inputs and a known value: no overflow, and most elements have a small
 * enough error bound to compare. The same numbers give the same program. */
struct rp_program *rp_generate(struct lift_arena *arena, uint64_t seed, uint64_t number,
                               const struct rp_options *options);

/* ---- between the files of the generator */

enum { RG_SCOPE = 40 };

struct gen {
    struct lift_rng rng;
    struct rp_program *p;
    const struct rp_names *names;
    bool used[4096]; /* words */
    int named;
    int scope[RG_SCOPE], scope_count; /* variables, the innermost last */
    int budget;                       /* nodes of functions that are left */
    int windows;                      /* how many windows of windows we are in */
    bool closed;                      /* inside a function: no inputs */
    bool points;                      /* there are points already */
};

int rg_below(struct gen *g, int n);
int rg_range(struct gen *g, int lo, int hi);
bool rg_chance(struct gen *g, int percent);
/* An index by weights that end with -1. */
int rg_pick(struct gen *g, const int *weights);
const char *rg_name(struct gen *g, const char *stem);
/* Plain names where others would hide a primitive that the program uses. */
void rg_settle_names(struct rp_program *p);
/* A variable of the scope, until rg_leave. */
int rg_enter(struct gen *g, rp_type type, const char *stem);
void rg_leave(struct gen *g, int count);
enum rp_kind rg_number_kind(struct gen *g);
/* A scalar, or a tuple of them. */
rp_type rg_element_type(struct gen *g);
struct rp_expr *rg_literal(struct gen *g, enum rp_kind kind);

/* A value without a grid in it: a scalar, a tuple, a small array. */
struct rp_expr *rg_element(struct gen *g, rp_type type, int depth);
struct rp_expr *rg_scalar(struct gen *g, enum rp_kind kind, int depth);
struct rp_expr *rg_condition(struct gen *g, int depth);
struct rp_expr *rg_index(struct gen *g, int var, struct rp_len n);

/* A grid of 'd' dimensions. */
struct rp_expr *rg_grid(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                        int depth);
/* A function of elements on the values at each point. */
struct rp_expr *rg_mapped(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                          int depth);
/* A function of elements on the windows around each point of 'x', which is as long. */
struct rp_expr *rg_stage(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                         struct rp_expr *x);
struct rp_expr *rg_neighbours(struct gen *g, const struct rp_len *len, int d,
                              struct rp_expr *x);
/* Windows of a grid that is padded, or tiles of a longer one: one for each point. */
struct rp_expr *rg_windows(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                           int depth);
struct rp_expr *rg_tiles(struct gen *g, const struct rp_len *len, int d, int depth);
struct rp_expr *rg_array_of(struct gen *g, const struct rp_len *len, int d, rp_type elem);
/* A function of elements, 'elem', at each. */
struct rp_expr *rg_map(struct gen *g, int d, struct rp_expr *x, int var,
                       struct rp_expr *body, rp_type type);
/* One function for the elements of the interior, and one for the layer around it. */
struct rp_expr *rg_regions(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                           struct rp_expr *x, int var);
/* Steps of windows of the grid of the step before. */
struct rp_expr *rg_iterated(struct gen *g, const struct rp_len *len, int d, rp_type elem);
/* Points off the grid; 'x', or the grid, if there are too many inputs. */
struct rp_expr *rg_injected(struct gen *g, int d, struct rp_expr *x);
struct rp_expr *rg_sampled(struct gen *g, const struct rp_len *len, int d, rp_type elem);
/* An input of the type; NULL if there are too many. */
struct rp_expr *rg_input(struct gen *g, rp_type type);
/* A grid that is there already, or a new input. */
struct rp_expr *rg_leaf(struct gen *g, const struct rp_len *len, int d, rp_type elem);
/* The same elements at other places. */
struct rp_expr *rg_moved(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                         int depth);

#endif

/* Parses types, sizes and terms, and formats programs. docs/language.md describes the
 * language.
 *
 * A source that is NULL, or has no name or no text, is rejected with a diagnostic. Other
 * NULL pointers are bugs of the caller and abort, unless a docstring allows NULL. */
#ifndef LIFT_PARSE_H
#define LIFT_PARSE_H

#include "lift/api.h"
#include "lift/error.h"
#include "lift/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names that a text may use in addition to the names of the language. */
struct lift_scope {
    const lift_expr *vars; /* free variables, by name */
    int var_count;
    const lift_nat *nats; /* variables, by name */
    int nat_count;
};

/* Returns NULL and one diagnostic if the text is malformed or ill-typed. 'scope' may be
 * NULL. A function whose parameters all carry types, 'fun(x: f32 => x + 1)', is a
 * lambda. */
LIFT_API lift_expr lift_expr_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                   const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API lift_type lift_type_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                   const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API lift_nat lift_nat_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                 const struct lift_source *source,
                                 struct lift_error *errors);

/* A separate term: declarations of its sizes, tunables and free variables, then the
 * expression. lift_term_parse reads the output of lift_term_print back to the same node:
 *
 *     tunable k in 2..64;
 *     input x: [f32]1024;
 *     join(map(mapSeq(fun(a => a * 2.0f)), split(k, x))) */
LIFT_API lift_expr lift_term_parse(struct lift_ir *ir, const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API void lift_term_print(lift_expr e, struct lift_str *out);

/* Formats a program: spaces and indentation change; line breaks, names and comments
 * stay. Returns false and a diagnostic if the text has a syntax error. */
LIFT_API bool lift_format(const struct lift_source *source, struct lift_error *errors,
                          struct lift_str *out);

#ifdef __cplusplus
}
#endif

#endif

/* Text to types, sizes and terms, and the formatter. The language is in docs/language.md.
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

/* The names that a text may use, besides those of the language. */
struct lift_scope {
    const lift_expr *vars; /* free variables, under their own names */
    int var_count;
    const lift_nat *nats; /* variables, under their own names */
    int nat_count;
};

/* NULL and one diagnostic if the text is malformed or ill-typed. 'scope' may be NULL. A
 * function whose parameters all carry types, 'fun(x: f32 => x + 1)', is a lambda. */
LIFT_API lift_expr lift_expr_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                   const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API lift_type lift_type_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                   const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API lift_nat lift_nat_parse(struct lift_ir *ir, const struct lift_scope *scope,
                                 const struct lift_source *source,
                                 struct lift_error *errors);

/* A term on its own: declarations of its sizes, tunables and free variables, then the
 * expression. What lift_term_print writes, lift_term_parse reads back to the same node:
 *
 *     tunable k in 2..64;
 *     input x: [f32]1024;
 *     join(map(mapSeq(fun(a => a * 2.0f)), split(k, x)))
 */
LIFT_API lift_expr lift_term_parse(struct lift_ir *ir, const struct lift_source *source,
                                   struct lift_error *errors);
LIFT_API void lift_term_print(lift_expr e, struct lift_str *out);

/* The program laid out in the usual way: spaces and indentation change, line breaks,
 * names and comments stay. False and a diagnostic if it is not a program by its syntax.
 */
LIFT_API bool lift_format(const struct lift_source *source, struct lift_error *errors,
                          struct lift_str *out);

#ifdef __cplusplus
}
#endif

#endif

/* A program: a stencil with its sizes, parameters, inputs, outputs and time loop, as a
 * .lift file says it (docs/language.md).
 *
 * A source that is NULL, or has no name or no text, is rejected with a diagnostic, and so
 * is a NULL list of sizes. Other NULL pointers are bugs of the caller and abort, unless a
 * docstring allows NULL. */
#ifndef LIFT_PROGRAM_H
#define LIFT_PROGRAM_H

#include "lift/api.h"
#include "lift/error.h"
#include "lift/id.h"
#include "lift/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIFT_MAX_SIZES = 32, LIFT_MAX_SCALARS = 32, LIFT_MAX_STEPS = 16 };

struct lift_program_size {
    const char *name;
    int64_t fallback; /* the default of the file; 0 if it has none */
    int64_t value;    /* the default or what overrides it; 0 if there is neither */
    int64_t lo, hi;   /* its range; from 1 to LIFT_NAT_MAX if it has none */
    lift_nat nat;     /* 'value' as a constant, or the variable if sizes are symbolic */
};

struct lift_program_param {
    const char *name;
    enum lift_scalar scalar;
    double value; /* the default; integers are exact */
    lift_expr var;
};

/* Where an input of the next time step comes from. */
enum lift_next { LIFT_NEXT_SAME, LIFT_NEXT_INPUT, LIFT_NEXT_OUTPUT };

struct lift_program_input {
    const char *name;
    lift_type type;
    lift_expr var;
    enum lift_next next; /* LIFT_NEXT_SAME: it does not change */
    int next_index;      /* among the inputs or the outputs */
};

/* A function in C that the program carries: what userFun calls. */
struct lift_program_function {
    const char *text;       /* interned, as in the terms that call it */
    struct lift_span place; /* the literal in the source, with its quotes ... */
    int begin;              /* ... which is the text from here on, but for its end */
};

struct lift_program_output {
    const char *name;
    lift_type type;
};

struct lift_program {
    const char *name;
    bool exact;     /* the floating-point contract; otherwise relaxed */
    bool iterative; /* has a time loop */
    int steps;      /* of the time loop that the body is; 0 is as 1 */
    struct lift_program_size sizes[LIFT_MAX_SIZES];
    struct lift_program_param params[LIFT_MAX_SCALARS];
    struct lift_program_input inputs[LIFT_MAX_ARGS];
    struct lift_program_output outputs[LIFT_MAX_ARGS];
    int size_count, param_count, input_count, output_count;
    const struct lift_program_function *functions; /* each text once */
    int function_count;
    /* 'steps' of them: the output, or a tuple of them if there are several. Its free
     * variables are the inputs and the parameters. */
    lift_expr body;
};

/* True if an input is not read after a step: the time loop replaces it and hands its
 * value to no other input. A result may overwrite it. False for an input number out of
 * range. */
LIFT_API bool lift_program_input_dies(const struct lift_program *program, int input);
/* False if a term stores a result in an input (inPlace) whose value somebody needs. */
LIFT_API bool lift_program_may_overwrite(const struct lift_program *program,
                                         lift_expr term);

struct lift_size_setting {
    const char *name;
    int64_t value;
};

struct lift_program_options {
    const struct lift_size_setting *sizes; /* instead of the defaults of the file */
    int size_count;
    /* Sizes stay variables of kind LIFT_VAR_SIZE, of at least 1, instead of numbers. */
    bool symbolic;
    /* The text is of a database, which is data: calls of functions in C are refused. */
    bool stored;
};

/* The program of a file, in the context's arena; NULL and one diagnostic if it is
 * malformed, or a setting names no size of it. 'options' may be NULL. A program without a
 * name takes the name of the source. C functions of the program are not run. */
LIFT_API const struct lift_program *
lift_program_load_sized(struct lift_ir *ir, const struct lift_source *source,
                        const struct lift_program_options *options, size_t size,
                        struct lift_error *errors);
static inline const struct lift_program *
lift_program_load(struct lift_ir *ir, const struct lift_source *source,
                  const struct lift_program_options *options, struct lift_error *errors)
{
    return lift_program_load_sized(ir, source, options, sizeof *options, errors);
}
/* The same with sizes as variables, whatever 'options' say of that; or with numbers, if
 * the program has a type only so, as where an array of 64 meets one of 'size n = 64'.
 * '*ir', in which nothing was built before, is replaced by another one then. The
 * diagnostic is that of the numbers. */
LIFT_API const struct lift_program *
lift_program_load_general_sized(struct lift_ir **ir, const struct lift_source *source,
                                const struct lift_program_options *options, size_t size,
                                struct lift_error *errors);
static inline const struct lift_program *
lift_program_load_general(struct lift_ir **ir, const struct lift_source *source,
                          const struct lift_program_options *options,
                          struct lift_error *errors)
{
    return lift_program_load_general_sized(ir, source, options, sizeof *options, errors);
}
/* Makes of a program's text that of the same program in single (LIFT_F32) or double
 * (LIFT_F64) precision: types, conversions, letters of numbers, and the declaration that
 * says what numbers without a letter are. Lines stay where they are. The text is replaced
 * (see lift_source_load). False and a diagnostic if it is none of the language. */
LIFT_API bool lift_source_precision(struct lift_source *source, enum lift_scalar scalar,
                                    struct lift_error *errors);
/* Turns a program with a time loop into the program that computes 'steps' steps, from 1
 * to LIFT_MAX_STEPS, per iteration: n iterations of its time loop equal n * steps
 * iterations of the original. Grids of earlier steps are 'let's; those that the time loop
 * needs are additional outputs (out_before of the previous step, out_before2, ...). Sizes
 * stay symbolic, unless the program has a type only for numbers: then they are fixed. The
 * text is replaced, unless 'steps' is 1. False and a diagnostic if the text is no
 * program, has no time loop, or has steps already. */
LIFT_API bool lift_source_steps(struct lift_source *source, int steps,
                                struct lift_error *errors);
/* LIFT_F32 for "single", LIFT_F64 for "double"; false for other words, and NULL. */
LIFT_API bool lift_precision_parse(const char *word, enum lift_scalar *out);
/* The floating-point types of all values that a step computes and reads: "f32", "f64",
 * "f32+f64"; "" if there are none. */
LIFT_API const char *lift_program_precision(const struct lift_program *program);
/* As a .lift text that loads to the same program: functions and names of sizes are gone.
 */
LIFT_API void lift_program_print(const struct lift_program *program,
                                 struct lift_str *out);
/* The name that a program has in databases, if its sizes are symbolic. */
LIFT_API struct lift_hash lift_program_id(const struct lift_program *program);

#ifdef __cplusplus
}
#endif

#endif

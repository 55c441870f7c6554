/* A program: a stencil with its sizes, parameters, inputs, outputs and time loop, as a
 * .lift file declares them (docs/language.md).
 *
 * A NULL list of sizes and a source that is NULL, or has no name or no text, are
 * rejected with a diagnostic. Other NULL pointers are bugs of the caller and abort,
 * unless a docstring allows NULL. */
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
    int64_t fallback; /* the default of the file; 0: none */
    int64_t value;    /* the setting or the default; 0: neither */
    int64_t lo, hi;   /* the range of the size; default: from 1 to LIFT_NAT_MAX */
    lift_nat nat;     /* 'value' as a constant, or the variable if sizes are symbolic */
};

struct lift_program_param {
    const char *name;
    enum lift_scalar scalar;
    double value; /* the default; integers are exact */
    lift_expr var;
};

/* The source of an input in the next time step. */
enum lift_next { LIFT_NEXT_SAME, LIFT_NEXT_INPUT, LIFT_NEXT_OUTPUT };

struct lift_program_input {
    const char *name;
    lift_type type;
    lift_expr var;
    enum lift_next next; /* LIFT_NEXT_SAME: the input does not change */
    int next_index;      /* among the inputs or the outputs */
};

/* A C function of the program, which userFun calls. */
struct lift_program_function {
    const char *text;       /* interned, as in terms that call the function */
    struct lift_span place; /* the literal in the source, with its quotes */
    int begin; /* offset in the literal at which 'text' begins; the end is not copied */
};

struct lift_program_output {
    const char *name;
    lift_type type;
};

struct lift_program {
    const char *name;
    bool exact;     /* the floating-point contract; otherwise relaxed */
    bool iterative; /* has a time loop */
    int steps;      /* steps of the time loop in 'body'; 0 means 1 */
    struct lift_program_size sizes[LIFT_MAX_SIZES];
    struct lift_program_param params[LIFT_MAX_SCALARS];
    struct lift_program_input inputs[LIFT_MAX_ARGS];
    struct lift_program_output outputs[LIFT_MAX_ARGS];
    int size_count, param_count, input_count, output_count;
    const struct lift_program_function *functions; /* each text once */
    int function_count;
    /* The term of 'steps' steps: the output, or a tuple of outputs. The free variables
     * of the term are the inputs and the parameters. */
    lift_expr body;
};

/* True if no step reads the input after the current step: the time loop replaces the
 * input and passes its value to no other input. A result may overwrite the input. False
 * if the number is out of range. */
LIFT_API bool lift_program_input_dies(const struct lift_program *program, int input);
/* False if a term stores a result in an input (inPlace) whose value is still needed. */
LIFT_API bool lift_program_may_overwrite(const struct lift_program *program,
                                         lift_expr term);

struct lift_size_setting {
    const char *name;
    int64_t value;
};

struct lift_program_options {
    const struct lift_size_setting *sizes; /* replace the defaults of the file */
    int size_count;
    /* Sizes stay variables of kind LIFT_VAR_SIZE, of at least 1, instead of numbers. */
    bool symbolic;
    /* The text is from a database, which is data: calls of functions in C are
     * rejected. */
    bool stored;
};

/* Loads the program of a file into the context's arena. Returns NULL and one diagnostic
 * if the program is malformed, or a setting names an unknown size. 'options' may be
 * NULL. A program without a name takes the name of the source. C functions of the
 * program are not run. */
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
/* As lift_program_load with symbolic sizes, even if 'options' says otherwise. If the
 * program is well-typed only for numbers, sizes are numbers. An example is an array of
 * 64 that meets an array of 'size n = 64'. Then a new context replaces '*ir', which must
 * be empty before the call. The diagnostic is then about the sizes as numbers. */
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
/* Converts a program's text to single (LIFT_F32) or double (LIFT_F64) precision. This
 * changes types, conversions, suffixes of numbers, and the declaration of the precision
 * of numbers without a suffix. Line numbers do not change. The new text replaces the
 * text (see lift_source_load). Returns false and a diagnostic if the text is
 * malformed. */
LIFT_API bool lift_source_precision(struct lift_source *source, enum lift_scalar scalar,
                                    struct lift_error *errors);
/* Converts a program with a time loop into a program that computes 'steps' steps, from 1
 * to LIFT_MAX_STEPS, per iteration. n iterations of the new time loop equal n * steps
 * iterations of the original. Grids of earlier steps are 'let's. Grids that the time
 * loop needs are additional outputs: out_before of the previous step, out_before2, ...
 * Sizes stay symbolic, unless the program is well-typed only for numbers: then they are
 * fixed. The text is replaced, unless 'steps' is 1. Returns false and a diagnostic if
 * the text is malformed, has no time loop, or already has steps. */
LIFT_API bool lift_source_steps(struct lift_source *source, int steps,
                                struct lift_error *errors);
/* Sets LIFT_F32 for "single", LIFT_F64 for "double". Returns false for NULL and other
 * words. */
LIFT_API bool lift_precision_parse(const char *word, enum lift_scalar *out);
/* The floating-point types of all values that a step computes and reads: "f32", "f64",
 * "f32+f64"; "" if there are none. */
LIFT_API const char *lift_program_precision(const struct lift_program *program);
/* Prints .lift text that loads to the same program, without functions and names of
 * sizes. */
LIFT_API void lift_program_print(const struct lift_program *program,
                                 struct lift_str *out);
/* The program's name in databases, if its sizes are symbolic. */
LIFT_API struct lift_hash lift_program_id(const struct lift_program *program);

#ifdef __cplusplus
}
#endif

#endif

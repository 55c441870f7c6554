/* The best kernel that is known for a program at given sizes on a device, as text: which
 * one it is, why that one, its source, and a whole C program around it.
 *
 * In this order: the fastest verified kernel of the program, these sizes and this device,
 * unless one of larger grids was four times as fast by bytes a second, which comes first.
 * Otherwise the kernel of the nearest sizes on this device. Otherwise that of a device of
 * the same runtime and architecture, again at the nearest sizes. Otherwise a default
 * kernel. Sizes are near if the logarithms of their quotients are small in sum.
 *
 * A database is data: an expression is derived again, rule by rule, from the program of
 * the options, and is taken only if that gives the very expression. Its stored text is
 * not read, nor is a stored source. Tunables that the sizes do not allow are replaced by
 * the nearest ones that they allow. Kernels that do not fit are passed over: up to five
 * of each problem are tried. */
#ifndef LIFT_CHOSEN_H
#define LIFT_CHOSEN_H

#include "lift/api.h"
#include "lift/database.h"
#include "lift/devices.h"
#include "lift/error.h"
#include "lift/id.h"
#include "lift/program.h"
#include "lift/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lift_chosen_how {
    LIFT_CHOSEN_EXACT,   /* these sizes, this device */
    LIFT_CHOSEN_SIZE,    /* other sizes, this device */
    LIFT_CHOSEN_ARCH,    /* a device of the same runtime and architecture */
    LIFT_CHOSEN_DEFAULT, /* a default kernel: nothing is known */
    LIFT_CHOSEN_DRAWN    /* at random: not by lift_choose */
};

/* "exact", "nearest size", "same architecture", "default", "drawn" */
LIFT_API const char *lift_chosen_how_name(enum lift_chosen_how how);

struct lift_choose_options {
    const struct lift_source *source; /* of the program */
    bool stored; /* it is from a database, and may have no functions in C */
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules;
    struct lift_db *db;                    /* NULL: nothing is known */
    const struct lift_device_info *device; /* need not be open, nor be here */
    /* Kernels are passed over whose low-level expression has one of these texts:
     * "copy=async" for instance. They are told apart by commas. NULL: none. */
    const char *without;
};

struct lift_chosen;

/* The rules must outlive the answer, the other options need not. NULL and an
 * error: PROGRAM if the program is malformed, ARGUMENT where the options, or source,
 * rules or device among them, are NULL. 'error' must not be NULL. */
LIFT_API struct lift_chosen *lift_choose_sized(const struct lift_choose_options *options,
                                               size_t size, struct lift_error *error);
static inline struct lift_chosen *lift_choose(const struct lift_choose_options *options,
                                              struct lift_error *error)
{
    return lift_choose_sized(options, sizeof *options, error);
}
LIFT_API void lift_chosen_destroy(struct lift_chosen *chosen); /* NULL is legal */

/* One rewrite of its derivation. */
struct lift_chosen_step {
    const char *rule, *position, *args;
    const char *macros; /* that it is a step of, the outermost first: "a, b" */
};

/* A kernel of a launch. Bytes are those of global memory, each element once. */
struct lift_chosen_kernel {
    const char *name;
    int64_t read_bytes, written_bytes; /* each time that it is run */
    int64_t runs;                      /* in a launch; those of a loop in turn */
};

/* Texts belong to the choice. */
struct lift_chosen_facts {
    enum lift_chosen_how how;
    const char *words; /* the same for people, with the tunables that changed to fit */
    int refused; /* expressions of the database that were passed over: 'words' says why */
    const char *program, *sizes, *device, *runtime;
    const char *dtype;            /* "f32" or "f64" */
    int at_once;                  /* steps of the time loop that a launch computes */
    const char *tunables;         /* JSON */
    const char *flags;            /* of its compiler */
    const char *expression;       /* its text, which lift_term_parse reads */
    struct lift_hash expr, trial; /* rows of the database; no trial of DEFAULT */
    /* Where it was measured, and how fast: not of DEFAULT. */
    const char *from_sizes, *from_device, *from_tunables;
    double seconds, gpts, gbs; /* gbs 0: unknown */
    const struct lift_chosen_step *steps;
    int step_count;
    const struct lift_chosen_kernel *kernels; /* in the order in which they run */
    int kernel_count;
    int64_t bytes; /* of the whole launch: each input read once, each output written once;
                      what gbs counts */
    const char
        *source; /* of its kernels; lift_chosen_json has buffers and launches, too */
};

/* NULL of no kernel. */
LIFT_API const struct lift_chosen_facts *
lift_chosen_facts(const struct lift_chosen *chosen);

/* All of it as JSON: source, buffers, kernels with their launches, tunables, derivation,
 * timing, where it comes from. Ends with a newline. Nothing of no kernel (NULL). */
LIFT_API void lift_chosen_json(const struct lift_chosen *chosen, struct lift_str *out);

/* False, and diagnostics in 'source', that of the choice, if functions in C of the
 * program do not compile or do not return: such a mistake is one of the user, where
 * lift_chosen_host gives its error only. True of NULL. */
LIFT_API bool lift_chosen_sound(const struct lift_chosen *chosen,
                                const struct lift_source *source,
                                struct lift_error *errors);

/* Writes one file that needs nothing of lift: C, or C++ for nvcc and hipcc. The file has
 * the kernel behind one function, and a program around the function. The program compares
 * the kernel with the naive kernel on random inputs, and times the kernel. For several
 * steps a launch, 'single' is a kernel of one step at the same sizes on the same device,
 * or NULL. The kernel of one step becomes a second function, for any number of steps.
 * Returns false and an error if the kernel cannot be written, or 'chosen' is NULL. */
LIFT_API bool lift_chosen_host(const struct lift_chosen *chosen,
                               const struct lift_chosen *single, struct lift_str *out,
                               struct lift_error *error);

/* Writes only the kernels behind one function, or two: a header for one file of a
 * program. The header is C and C++; for nvcc and hipcc, C++. */
LIFT_API bool lift_chosen_header(const struct lift_chosen *chosen,
                                 const struct lift_chosen *single, struct lift_str *out,
                                 struct lift_error *error);

#ifdef __cplusplus
}
#endif

#endif

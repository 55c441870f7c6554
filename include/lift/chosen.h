/* The best known kernel for a program at given sizes on a device. The choice has the
 * kernel's origin, the reason, the source, and a whole C program around the kernel.
 *
 * lift_choose prefers the fastest verified kernel of the program for these sizes and
 * this device. Exception: a kernel of larger grids on this device comes first if it
 * reached four times the bytes per second. Without such kernels, lift_choose takes the
 * kernel of the nearest sizes on this device. The next choice is the kernel of the
 * nearest sizes on a device of the same runtime and architecture. The last choice is a
 * default kernel. Sizes are near if the sum of the logarithms of their quotients is
 * small.
 *
 * A database is data. lift_choose derives the expression again, rule by rule, from the
 * program of the options. The kernel is used only if the result is equal to the stored
 * expression. Stored texts of expressions and sources are not read. If the sizes do not
 * allow a tunable's value, the nearest allowed value replaces the value. Kernels that do
 * not fit are skipped, at most five of each problem. */
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
    LIFT_CHOSEN_DEFAULT, /* a default kernel: the database has no fitting kernel */
    LIFT_CHOSEN_DRAWN    /* a random configuration; lift_choose never returns this */
};

/* "exact", "nearest size", "same architecture", "default", "drawn" */
LIFT_API const char *lift_chosen_how_name(enum lift_chosen_how how);

struct lift_choose_options {
    const struct lift_source *source; /* of the program */
    bool stored; /* the program is from a database and may have no functions in C */
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules;
    struct lift_db *db;                    /* NULL: no database */
    const struct lift_device_info *device; /* need not be open or present */
    /* Skips kernels whose low-level expression contains one of these texts, such as
     * "copy=async". Commas separate the texts. NULL: none. */
    const char *without;
};

struct lift_chosen;

/* The rules must outlive the answer; the other options need not. On failure returns NULL
 * and an error: PROGRAM if the program is malformed, ARGUMENT if the options, source,
 * rules or device are NULL. 'error' must not be NULL. */
LIFT_API struct lift_chosen *lift_choose_sized(const struct lift_choose_options *options,
                                               size_t size, struct lift_error *error);
static inline struct lift_chosen *lift_choose(const struct lift_choose_options *options,
                                              struct lift_error *error)
{
    return lift_choose_sized(options, sizeof *options, error);
}
LIFT_API void lift_chosen_destroy(struct lift_chosen *chosen); /* NULL is legal */

/* One rewrite of the derivation. */
struct lift_chosen_step {
    const char *rule, *position, *args;
    const char *macros; /* the macros that contain the step, outermost first: "a, b" */
};

/* A kernel of a launch. The bytes are traffic of global memory, counting each element
 * once. */
struct lift_chosen_kernel {
    const char *name;
    int64_t read_bytes, written_bytes; /* per run of the kernel */
    int64_t runs;                      /* per launch; the kernels of a loop alternate */
};

/* Texts belong to the choice. */
struct lift_chosen_facts {
    enum lift_chosen_how how;
    const char *words; /* 'how' in words, with the tunables that changed to fit */
    int refused;       /* rejected expressions of the database; 'words' has the reason */
    const char *program, *sizes, *device, *runtime;
    const char *dtype;            /* "f32" or "f64" */
    int at_once;                  /* steps of the time loop that a launch computes */
    const char *tunables;         /* JSON */
    const char *flags;            /* of the compiler */
    const char *expression;       /* text, for lift_term_parse */
    struct lift_hash expr, trial; /* rows of the database; DEFAULT has no trial */
    /* Sizes, device and tunables of the measurement, and the measured speed. Unset for
     * DEFAULT. */
    const char *from_sizes, *from_device, *from_tunables;
    double seconds, gpts, gbs; /* gbs 0: unknown */
    const struct lift_chosen_step *steps;
    int step_count;
    const struct lift_chosen_kernel *kernels; /* in execution order */
    int kernel_count;
    int64_t bytes; /* of the whole launch: each input read once, each output written once;
                      the basis of gbs */
    const char *source; /* of the kernels; lift_chosen_json adds buffers and launches */
};

/* NULL if 'chosen' is NULL. */
LIFT_API const struct lift_chosen_facts *
lift_chosen_facts(const struct lift_chosen *chosen);

/* Writes the choice as JSON: source, buffers, kernels with their launches, tunables,
 * derivation, timing and origin. The text ends with a newline. Writes nothing if
 * 'chosen' is NULL. */
LIFT_API void lift_chosen_json(const struct lift_chosen *chosen, struct lift_str *out);

/* Returns false if C functions of the program do not compile or do not return. The
 * diagnostics then refer to 'source', the source of the choice: the mistake is the
 * user's. lift_chosen_host reports such a mistake without a place. Returns true if
 * 'chosen' is NULL. */
LIFT_API bool lift_chosen_sound(const struct lift_chosen *chosen,
                                const struct lift_source *source,
                                struct lift_error *errors);

/* Writes one file that needs nothing of lift: C, or C++ for nvcc and hipcc. The file has
 * the kernel behind one function, and a program around the function. The program compares
 * the kernel with the naive kernel on random inputs, and times the kernel.
 *
 * For several steps a launch, 'rest' lists kernels for the remainder of a run, at the
 * same sizes on the same device: at most two, with fewer steps a launch from entry to
 * entry. The last entry computes single steps. Each entry becomes a function, and the
 * program then also checks and times a time loop. 'rest' may be NULL if 'rest_count' is
 * 0. Returns false and an error if a kernel cannot be written, 'chosen' is NULL, or the
 * steps of 'rest' are others. */
LIFT_API bool lift_chosen_host(const struct lift_chosen *chosen,
                               const struct lift_chosen *const *rest, int rest_count,
                               struct lift_str *out, struct lift_error *error);

/* Writes only the kernels, each behind a function: a header for one file of a program.
 * The header is C and C++; for nvcc and hipcc, C++. */
LIFT_API bool lift_chosen_header(const struct lift_chosen *chosen,
                                 const struct lift_chosen *const *rest, int rest_count,
                                 struct lift_str *out, struct lift_error *error);

#ifdef __cplusplus
}
#endif

#endif

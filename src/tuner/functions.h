/* Calls C functions of programs and rules. The host's C compiler, found as for
 * kernels, compiles the functions. A function may crash, hang or end its process, so
 * the caller makes calls in processes that may be lost.
 *
 * Each text is compiled once and kept. Child processes inherit the compiled
 * functions. */
#ifndef TUNER_FUNCTIONS_H
#define TUNER_FUNCTIONS_H

#include "ir/eval.h"
#include "tuner/worker.h"

struct lift_functions;

struct lift_functions *lift_functions_create(void);
void lift_functions_destroy(struct lift_functions *functions); /* NULL is legal */

/* The error of a function. The caller releases 'why'. */
struct lift_function_fault {
    const char *text; /* of the function; NULL: no function caused the error */
    int offset;       /* in the text, in bytes; -1: not known */
    struct lift_str why;
};

/* Compiles the texts (lift_user_types) that are not yet compiled, and runs none. The
 * texts must outlive the functions. Returns false and the first error: a text that
 * the compiler rejects, or a missing compiler. */
bool lift_functions_compile(struct lift_functions *functions, const char *const *texts,
                            int count, struct lift_function_fault *fault);

/* Calls a function in this process, and compiles the function first if necessary.
 * 'user' is a struct lift_functions. */
lift_user_fun lift_functions_call;
/* From now on SIGALRM ends this process if a call takes much longer than
 * $LIFT_RUN_SECONDS seconds, by default 10. One struct per process can be guarded. */
void lift_functions_guard(struct lift_functions *functions);
/* The text of the function that did not return in the last process that called one:
 * this process or a lost child. NULL: the function returned. */
const char *lift_functions_caught(const struct lift_functions *functions);
/* Appends how that function ended: "the C function 'f' divided by zero (signal 8)". */
void lift_functions_explain(const struct lift_functions *functions,
                            struct lift_worker_result result, struct lift_str *why);

#endif

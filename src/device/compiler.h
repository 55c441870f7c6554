/* The system's C compiler. */
#ifndef DEVICE_COMPILER_H
#define DEVICE_COMPILER_H

#include "lift/device.h"

struct device_compiler {
    char **words; /* the command and its own flags, NULL-terminated */
    int count;
    struct lift_str version; /* first line of --version */
    double seconds;          /* time limit of one run */
};

/* Finds the command: $LIFT_CC, else $CC, else the first of cc, gcc, clang on PATH. Its
 * time limit is $LIFT_CC_SECONDS, else 60. False with the reason if there is none;
 * 'compiler' is then empty. */
bool device_compiler_find(struct device_compiler *compiler, struct lift_str *why);
/* Runs it for its version; false with the reason if it does not run. */
bool device_compiler_probe(struct device_compiler *compiler, struct lift_str *why);
void device_compiler_fini(struct device_compiler *compiler);

/* Compiles C with OpenMP into a shared object and loads it; NULL and a failure if not.
 * 'options' are split on blanks. The compiler's words go to 'log' (may be NULL). */
void *device_compiler_load(const struct device_compiler *compiler, const char *source,
                           const char *options, struct lift_str *log,
                           struct lift_failure *failure);

#endif

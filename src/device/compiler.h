/* The system's C compiler. */
#ifndef DEVICE_COMPILER_H
#define DEVICE_COMPILER_H

#include "device/device.h"

struct device_compiler {
    char **words; /* the command and its own flags, NULL-terminated */
    int count;
    struct lift_str version; /* first line of --version */
    enum lift_compiler kind; /* by the version; gcc if that names neither */
    const char *machine;     /* the flag that says what it compiles for */
    double seconds;          /* time limit of one run */
};

/* Finds the command for this machine: $LIFT_CC, then $CC, then the first of cc, gcc,
 * clang on PATH. Its time limit is $LIFT_CC_SECONDS seconds, by default 60. False with
 * the reason if there is none; 'compiler' is then empty. */
bool device_compiler_find(struct device_compiler *compiler, struct lift_str *why);
/* The same by its command, for another machine; both must outlive the compiler. */
bool device_compiler_find_cross(struct device_compiler *compiler, const char *command,
                                const char *machine, struct lift_str *why);
/* Runs it for its version; false with the reason if it does not run. */
bool device_compiler_probe(struct device_compiler *compiler, struct lift_str *why);
void device_compiler_fini(struct device_compiler *compiler);
/* A second compiler besides a probed one, unless $LIFT_CC or $CC choose the compiler:
 * clang besides gcc, gcc besides clang. False, and 'other' is empty, if none supports
 * OpenMP. */
bool device_compiler_find_other(const struct device_compiler *first,
                                struct device_compiler *other);

/* Appends the command, its file as it is now, and the variables that it reads. */
void device_compiler_describe(const struct device_compiler *compiler,
                              struct lift_str *out);

/* The text to compile. */
struct device_text {
    const char *source, *options; /* options are split on blanks */
    struct lift_str *log;         /* receives the compiler's words; may be NULL */
};

/* Compiles C with OpenMP; the bytes of the shared object are appended to 'module'. False
 * and a failure if not. */
bool device_compiler_build(const struct device_compiler *compiler,
                           const struct device_text *text, struct lift_str *module,
                           struct lift_error *error);

#endif

/* The system's C compiler. */
#ifndef DEVICE_COMPILER_H
#define DEVICE_COMPILER_H

#include "device/device.h"

struct device_compiler {
    char **words; /* the command and its own flags, NULL-terminated */
    int count;
    struct lift_str version; /* first line of --version */
    enum lift_compiler kind; /* by the version text; gcc if the text names neither */
    const char *machine;     /* the flag for the target machine */
    double seconds;          /* time limit of one run */
};

/* Finds the command for this machine: $LIFT_CC, then $CC, then the first of cc, gcc,
 * clang on PATH. The time limit is $LIFT_CC_SECONDS seconds, by default 60. Returns false
 * with the reason if there is none; 'compiler' is then empty. */
bool device_compiler_find(struct device_compiler *compiler, struct lift_str *why);
/* Uses a given command for another machine; both texts must outlive 'compiler'. */
bool device_compiler_find_cross(struct device_compiler *compiler, const char *command,
                                const char *machine, struct lift_str *why);
/* Runs the compiler for its version. Returns false with the reason if it does not run. */
bool device_compiler_probe(struct device_compiler *compiler, struct lift_str *why);
void device_compiler_fini(struct device_compiler *compiler);
/* Finds a second compiler: clang in addition to gcc, gcc in addition to clang. Returns
 * false with an empty 'other' if $LIFT_CC or $CC chooses the compiler, or if the second
 * compiler does not support OpenMP. */
bool device_compiler_find_other(const struct device_compiler *first,
                                struct device_compiler *other);

/* Appends the command, the identity of its file, and the environment variables that the
 * compiler reads. */
void device_compiler_describe(const struct device_compiler *compiler,
                              struct lift_str *out);

/* The text to compile. */
struct device_text {
    const char *source, *options; /* options are split on blanks */
    struct lift_str *log;         /* receives the compiler's messages; may be NULL */
};

/* Compiles C with OpenMP and appends the bytes of the shared object to 'module'. Returns
 * false with an error on failure. */
bool device_compiler_build(const struct device_compiler *compiler,
                           const struct device_text *text, struct lift_str *module,
                           struct lift_error *error);

#endif

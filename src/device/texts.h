/* The texts of src/device/kernels: the generated file device_texts.c. */
#ifndef DEVICE_TEXTS_H
#define DEVICE_TEXTS_H

#include "codegen/kernel.h"

struct device_texts {
    const char *name; /* of the file */
    const char *text;
};

/* Ended by a NULL name. */
extern const struct device_texts device_texts[];

/* The text of a file that is there. */
const char *device_text(const char *name);
/* What a dialect has under other names than the kernels of this folder. */
const char *device_prelude(enum lift_dialect dialect);

#endif

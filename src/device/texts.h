/* The texts of src/device/kernels: the generated file device_texts.c. */
#ifndef DEVICE_TEXTS_H
#define DEVICE_TEXTS_H

#include "codegen/kernel.h"

struct device_texts {
    const char *name; /* of the file */
    const char *text;
};

/* A NULL name ends the list. */
extern const struct device_texts device_texts[];

/* Returns the text of a file, which must exist. */
const char *device_text(const char *name);
/* Returns definitions that map the names in the kernels of this folder to a dialect. */
const char *device_prelude(enum lift_dialect dialect);

#endif

/* The header of a NumPy file (.npy): versions 1.0 to 3.0, C order, little endian. */
#ifndef RUN_NPY_H
#define RUN_NPY_H

#include "base/str.h"
#include "lift/ir.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_DIMS = 8 };

/* The elements that follow the header. */
struct npy {
    enum lift_scalar scalar;
    int dims; /* 0: one element */
    int64_t length[NPY_DIMS];
    size_t begin; /* first byte of the elements, from the beginning of the file */
    size_t bytes; /* of the elements */
};

/* Reads the header of a whole file. Returns false with the reason if the header is
 * malformed or names another type or order, or if the file has another length. */
bool npy_read(const void *file, size_t size, struct npy *out, struct lift_str *why);
/* Appends a header of version 1.0. Its length is a multiple of 64 bytes, to align the
 * elements. 'begin' and 'bytes' are ignored. */
void npy_write(const struct npy *npy, struct lift_str *out);

#endif

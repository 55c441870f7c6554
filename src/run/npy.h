/* The header of a NumPy file (.npy): versions 1.0 to 3.0, C order, little endian. */
#ifndef RUN_NPY_H
#define RUN_NPY_H

#include "base/str.h"
#include "lift/ir.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_DIMS = 8 };

/* What elements follow the header. */
struct npy {
    enum lift_scalar scalar;
    int dims; /* 0: one element */
    int64_t length[NPY_DIMS];
    size_t begin; /* of the elements, in bytes from the beginning of the file */
    size_t bytes; /* of the elements */
};

/* Reads the header of a whole file. False, and why, where it is malformed, its elements
 * are of another type or order, or the file is not as long as it says. */
bool npy_read(const void *file, size_t size, struct npy *out, struct lift_str *why);
/* Appends a header of version 1.0, of so many bytes that elements behind it are aligned
 * to 64. 'begin' and 'bytes' do not count. */
void npy_write(const struct npy *npy, struct lift_str *out);

#endif

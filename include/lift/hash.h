/* Stable hashes: the same on every machine and version of the program, since they name
 * expressions, kernels and rows of the database. XXH3 of 128 bits, seeded. */
#ifndef LIFT_HASH_H
#define LIFT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lift_hash {
    uint64_t lo, hi;
};

enum { LIFT_HASH_HEX = 33 }; /* characters of the hexadecimal form, with the NUL */

struct lift_hash lift_hash_bytes(const void *data, size_t size, uint64_t seed);
struct lift_hash lift_hash_text(const char *text);
/* Order matters: combine(a, b) differs from combine(b, a). */
struct lift_hash lift_hash_combine(struct lift_hash a, struct lift_hash b);
struct lift_hash lift_hash_add_int(struct lift_hash a, int64_t value);
bool lift_hash_equal(struct lift_hash a, struct lift_hash b);
/* Writes 32 lower-case digits and a NUL; returns 'out'. */
char *lift_hash_hex(struct lift_hash h, char out[LIFT_HASH_HEX]);
bool lift_hash_parse(const char *hex, struct lift_hash *out);

#endif

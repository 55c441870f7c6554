/* Hashes that name programs, expressions, devices and rows of the database. Equal
 * content has the same hash on every machine. XXH3 of 128 bits, seeded. */
#ifndef LIFT_ID_H
#define LIFT_ID_H

#include "lift/api.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lift_hash {
    uint64_t lo, hi;
};

enum { LIFT_HASH_HEX = 33 }; /* characters of the hexadecimal form, with the NUL */

LIFT_API bool lift_hash_equal(struct lift_hash a, struct lift_hash b);
/* Writes 32 lower-case digits and a NUL; returns 'out'. */
LIFT_API char *lift_hash_hex(struct lift_hash h, char out[LIFT_HASH_HEX]);
LIFT_API bool lift_hash_parse(const char *hex, struct lift_hash *out);

#ifdef __cplusplus
}
#endif

#endif

/* Stable hashes: the same on every machine and version of the program, since they name
 * expressions, kernels and rows of the database (lift/id.h). */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"
#include "lift/id.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lift_hash lift_hash_bytes(const void *data, size_t size, uint64_t seed);
struct lift_hash lift_hash_text(const char *text);
/* Order matters: combine(a, b) differs from combine(b, a). */
struct lift_hash lift_hash_combine(struct lift_hash a, struct lift_hash b);
struct lift_hash lift_hash_add_int(struct lift_hash a, int64_t value);

/* ---- hashes as users shorten them */

enum {
    LIFT_HASH_LEAST = 4,  /* digits that a user has to give */
    LIFT_HASH_SHORT = 12, /* that tables print */
    LIFT_HASH_LISTED = 8, /* that a message lists */
};

/* Of the hashes that there are, those that begin with some digits; '{.digits = text}'
 * begins. */
struct lift_hash_search {
    const char *digits;
    struct lift_hash found[LIFT_HASH_LISTED];
    int count; /* of different ones; LIFT_HASH_LISTED: or more */
};

/* True of LIFT_HASH_LEAST to 32 lower-case digits. */
bool lift_hash_is_short(const char *text);
/* Considers a hash; true if it begins so. */
bool lift_hash_consider(struct lift_hash_search *search, struct lift_hash hash);
/* The one that was found. False and a reason, with the candidates, if there is none or
 * are several: "no expression begins with 'abcd'". */
bool lift_hash_found(const struct lift_hash_search *search, const char *what,
                     struct lift_hash *out, struct lift_str *why);

#endif

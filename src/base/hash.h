/* Hashes that are equal on all machines and in all versions of the program. They name
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

/* ---- abbreviated hashes */

enum {
    LIFT_HASH_LEAST = 4,  /* digits that a user must type */
    LIFT_HASH_SHORT = 12, /* digits that tables print */
    LIFT_HASH_LISTED = 8, /* candidates that a message lists */
};

/* Finds the known hashes that begin with some digits. Begins as '{.digits = text}'. */
struct lift_hash_search {
    const char *digits;
    struct lift_hash found[LIFT_HASH_LISTED];
    int count; /* number of different hashes; LIFT_HASH_LISTED: or more */
};

/* True for LIFT_HASH_LEAST to 32 lower-case digits. */
bool lift_hash_is_short(const char *text);
/* Considers a hash. Returns true if the hash begins with the digits. */
bool lift_hash_consider(struct lift_hash_search *search, struct lift_hash hash);
/* Returns the hash found. Returns false, and a reason with the candidates, if no hash or
 * several hashes were found: "no expression begins with 'abcd'". */
bool lift_hash_found(const struct lift_hash_search *search, const char *what,
                     struct lift_hash *out, struct lift_str *why);

#endif

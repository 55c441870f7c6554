#include "base/hash.h"
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct lift_hash lift_hash_bytes(const void *data, size_t size, uint64_t seed)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);

    return (struct lift_hash){h.low64, h.high64};
}

struct lift_hash lift_hash_text(const char *text)
{
    return lift_hash_bytes(text, strlen(text), 0);
}

/* Writes little-endian bytes, so that the result does not depend on the machine. */
static void put_le(unsigned char out[8], uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

struct lift_hash lift_hash_combine(struct lift_hash a, struct lift_hash b)
{
    unsigned char bytes[32];

    put_le(bytes, a.lo);
    put_le(bytes + 8, a.hi);
    put_le(bytes + 16, b.lo);
    put_le(bytes + 24, b.hi);
    return lift_hash_bytes(bytes, sizeof bytes, 1);
}

struct lift_hash lift_hash_add_int(struct lift_hash a, int64_t value)
{
    return lift_hash_combine(a, (struct lift_hash){(uint64_t)value, 0x696e74});
}

bool lift_hash_equal(struct lift_hash a, struct lift_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

char *lift_hash_hex(struct lift_hash h, char out[LIFT_HASH_HEX])
{
    snprintf(out, LIFT_HASH_HEX, "%016llx%016llx", (unsigned long long)h.hi,
             (unsigned long long)h.lo);
    return out;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool lift_hash_parse(const char *hex, struct lift_hash *out)
{
    uint64_t words[2] = {0, 0};

    if (strlen(hex) != LIFT_HASH_HEX - 1)
        return false;
    for (int i = 0; i < LIFT_HASH_HEX - 1; i++) {
        int d = digit(hex[i]);

        if (d < 0)
            return false;
        words[i / 16] = words[i / 16] << 4 | (uint64_t)d;
    }
    *out = (struct lift_hash){words[1], words[0]};
    return true;
}

bool lift_hash_is_short(const char *text)
{
    size_t len = strlen(text);

    return len >= LIFT_HASH_LEAST && len < LIFT_HASH_HEX &&
           strspn(text, "0123456789abcdef") == len;
}

bool lift_hash_consider(struct lift_hash_search *s, struct lift_hash hash)
{
    char hex[LIFT_HASH_HEX];

    if (!lift_hash_is_short(s->digits) ||
        strncmp(lift_hash_hex(hash, hex), s->digits, strlen(s->digits)) != 0)
        return false;
    for (int i = 0; i < s->count; i++)
        if (lift_hash_equal(s->found[i], hash))
            return true;
    if (s->count < LIFT_HASH_LISTED)
        s->found[s->count++] = hash;
    return true;
}

/* The number of digits that distinguishes the candidates, at least that of tables. */
static int digits_apart(const struct lift_hash_search *s)
{
    char a[LIFT_HASH_HEX], b[LIFT_HASH_HEX];
    int digits = LIFT_HASH_SHORT;

    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < i; k++) {
            lift_hash_hex(s->found[i], a);
            lift_hash_hex(s->found[k], b);
            while (strncmp(a, b, (size_t)digits) == 0)
                digits++;
        }
    return digits;
}

bool lift_hash_found(const struct lift_hash_search *s, const char *what,
                     struct lift_hash *out, struct lift_str *why)
{
    int digits = digits_apart(s);
    char hex[LIFT_HASH_HEX];

    if (s->count == 1) {
        *out = s->found[0];
        return true;
    }
    if (!lift_hash_is_short(s->digits)) {
        lift_str_addf(why,
                      "'%s' is no hash: expected at least %d of its digits, 0 to 9 and "
                      "a to f",
                      s->digits, LIFT_HASH_LEAST);
        return false;
    }
    if (s->count == 0) {
        lift_str_addf(why, "no %s begins with '%s'", what, s->digits);
        return false;
    }
    lift_str_addf(why, "more than one %s begins with '%s': ", what, s->digits);
    for (int i = 0; i < s->count; i++)
        lift_str_addf(why, "%s%.*s", i ? ", " : "", digits,
                      lift_hash_hex(s->found[i], hex));
    lift_str_add(why, s->count == LIFT_HASH_LISTED ? ", ..." : "");
    return false;
}

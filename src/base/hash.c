#include "lift/hash.h"
#include <stdio.h>
#include <string.h>
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

/* Written as little-endian bytes, so that the result does not depend on the machine. */
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

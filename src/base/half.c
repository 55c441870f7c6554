#include "base/half.h"
#include <string.h>

enum {
    F16_INFINITY = 0x7c00,
    F16_QUIET = 0x7e00,
    BIAS_STEP = 127 - 15, /* of the exponents of f32 and f16 */
    SHIFT = 23 - 10,      /* of the fractions */
};

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 'bits' shifted right, to nearest and ties to even: a carry goes to the exponent. */
static uint32_t rounded(uint32_t bits, int shift)
{
    uint32_t half = 1u << (shift - 1);

    return (bits + half - 1 + (bits >> shift & 1)) >> shift;
}

uint16_t lift_f16_of(float x)
{
    static const uint32_t least_normal = 113u << 23, too_large = 143u << 23,
                          infinity = 255u << 23;
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

    if (size > infinity)
        return (uint16_t)(sign | F16_QUIET);
    if (size >= too_large)
        return (uint16_t)(sign | F16_INFINITY);
    /* Below 2^-14 the last place of the sum with 0.5 is 2^-24, that of subnormals. */
    if (size < least_normal)
        return (uint16_t)(sign | (bits_of(of_bits(size) + 0.5f) - bits_of(0.5f)));
    return (uint16_t)(sign | rounded(size - ((uint32_t)BIAS_STEP << 23), SHIFT));
}

float lift_f16_value(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, size = bits & 0x7fff;
    uint32_t up = (uint32_t)BIAS_STEP << 23;

    if (size < 0x400)
        return of_bits(sign | bits_of((float)size * 0x1p-24f));
    return of_bits(sign | ((size << SHIFT) + up + (size >= F16_INFINITY ? up : 0)));
}

uint16_t lift_bf16_of(float x)
{
    uint32_t bits = bits_of(x);

    if ((bits & 0x7fffffff) > 255u << 23)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)rounded(bits, 16);
}

float lift_bf16_value(uint16_t bits)
{
    return of_bits((uint32_t)bits << 16);
}

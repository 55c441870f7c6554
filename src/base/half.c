/* Conversions of f16 and bf16 by whole-number arithmetic. Kernels, fills on devices and
 * emitted programs contain the texts between the marks of this file, each under a
 * separate name (src/base/embed.c). The f16 functions have no branch, so that compilers
 * can vectorise loops. Kernels do not include <stdint.h>. */
#include "base/half.h"

// clang-format off
float lift_f16_value
//@define F16_VALUE
(unsigned short h)
{
    const unsigned sign = (h & 0x8000u) << 16, size = h & 0x7fffu;
    const unsigned large = (size << 13) + (size < 0x7c00u ? 0x38000000u : 0x70000000u);
    float x = (float)(int)size * 5.9604644775390625e-8f;
    unsigned bits;

    __builtin_memcpy(&bits, &x, 4);
    bits = sign | (size < 0x400u ? bits : large);
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

//@ A sum with 0.5 rounds a number below 2^-14 to the last place of subnormals, 2^-24.
unsigned short lift_f16_of
//@define F16_OF
(float x)
{
    unsigned bits, size, small, large;
    float sum;

    __builtin_memcpy(&bits, &x, 4);
    size = bits & 0x7fffffffu;
    __builtin_memcpy(&sum, &size, 4);
    sum += 0.5f;
    __builtin_memcpy(&small, &sum, 4);
    large = (size - 0x37fff001u + (size >> 13 & 1u)) >> 13;
    large = size < 0x47800000u ? large : size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    small = size < 0x38800000u ? small - 0x3f000000u : large;
    return (unsigned short)((bits >> 16 & 0x8000u) | small);
}

//@
float lift_bf16_value
//@define BF16_VALUE
(unsigned short h)
{
    const unsigned bits = (unsigned)h << 16;
    float x;

    __builtin_memcpy(&x, &bits, 4);
    return x;
}

//@
unsigned short lift_bf16_of
//@define BF16_OF
(float x)
{
    unsigned bits, near;

    __builtin_memcpy(&bits, &x, 4);
    near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    near = (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : near;
    return (unsigned short)near;
}

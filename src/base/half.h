/* Floating-point numbers of 16 bits, by their bits: f16 (IEEE 754 binary16) and bf16
 * (the upper half of an f32). Rounding is to nearest, ties to even. Too large numbers
 * become infinity, subnormals are kept, and a NaN stays a NaN. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>

uint16_t lift_f16_of(float x);
float lift_f16_value(uint16_t bits);
uint16_t lift_bf16_of(float x);
float lift_bf16_value(uint16_t bits);

#endif

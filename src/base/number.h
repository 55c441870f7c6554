/* Whole-number arithmetic that C lacks. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

static inline int64_t lift_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t lift_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The smallest multiple of 'k' that is at least 'n'; neither is negative. */
static inline int64_t lift_round_up(int64_t n, int64_t k)
{
    return (n + k - 1) / k * k;
}

#endif

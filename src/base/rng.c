#include "base/rng.h"
#include "base/bug.h"

/* splitmix64 spreads the seed over the state, as the authors of xoshiro advise. */
static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void lift_rng_seed(struct lift_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix(&seed);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t lift_rng_next(struct lift_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t lift_rng_below(struct lift_rng *rng, uint64_t n)
{
    uint64_t limit, x;

    LIFT_ASSERT(n > 0);
    limit = UINT64_MAX - UINT64_MAX % n;
    do
        x = lift_rng_next(rng);
    while (x >= limit);
    return x % n;
}

int64_t lift_rng_range(struct lift_rng *rng, int64_t lo, int64_t hi)
{
    LIFT_ASSERT(lo <= hi);
    return (int64_t)((uint64_t)lo + lift_rng_below(rng, (uint64_t)hi - (uint64_t)lo + 1));
}

double lift_rng_unit(struct lift_rng *rng)
{
    return (double)(lift_rng_next(rng) >> 11) * 0x1p-53;
}

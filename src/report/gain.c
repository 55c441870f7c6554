#include "report/gain.h"

struct lift_interval report_gain(const struct lift_interval *fast,
                                 const struct lift_interval *slow)
{
    struct lift_interval gain = {0};

    if (!(fast->median > 0) || !(slow->median > 0))
        return gain;
    gain.median = slow->median / fast->median;
    if (!(fast->low > 0) || !(slow->low > 0))
        return gain;
    gain.low = slow->low / fast->high;
    gain.high = slow->high / fast->low;
    return gain;
}

bool report_is_spread(const struct lift_interval *seconds)
{
    const double most = 1.25;

    return seconds->high > most * seconds->low;
}

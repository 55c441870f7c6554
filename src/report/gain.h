/* How many times as fast one kernel is as another. */
#ifndef REPORT_GAIN_H
#define REPORT_GAIN_H

#include "base/stats.h"

/* The quotient of the medians of 'slow' and 'fast', in seconds, and its interval from the
 * ends of theirs. All 0 where a median is unknown (0); without an interval where an end
 * is: 'low' and 'high' are 0 then. */
struct lift_interval report_gain(const struct lift_interval *fast,
                                 const struct lift_interval *slow);
/* The ends are so far apart that quotients of the median say little: a machine that was
 * busy, or changed its clocks. */
bool report_is_spread(const struct lift_interval *seconds);

#endif

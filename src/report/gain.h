/* The speedup of one kernel over another. */
#ifndef REPORT_GAIN_H
#define REPORT_GAIN_H

#include "base/stats.h"

/* Divides the median of 'slow' by that of 'fast', both in seconds, and computes the
 * interval from the ends of theirs. All 0 if a median is unknown (0). 'low' and
 * 'high' are 0 if an end is unknown. */
struct lift_interval report_gain(const struct lift_interval *fast,
                                 const struct lift_interval *slow);
/* True if the ends differ so much that quotients of the median mean little: the
 * machine was busy, or changed its clocks. */
bool report_is_spread(const struct lift_interval *seconds);

#endif

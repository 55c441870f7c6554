/* Tells which options of the schedule decisions change a program. */
#ifndef EXPLORE_APPLICABLE_H
#define EXPLORE_APPLICABLE_H

#include "explore/configurations.h"

/* Returns true if the option's strategy applies to the program of 'd', or in some family.
 * The configuration includes the options that the option requires (lift_option_context):
 * the options named first, or other allowed ones. Loops need no levels. Otherwise returns
 * false and the reason, also if the option excludes the device kind of 'd' or the
 * contract. Options that change nothing apply. */
bool option_applies(struct derivation *d, const struct lift_option *option,
                    struct lift_str *why);

#endif

/* Which options of the decisions a program gives something to do. */
#ifndef EXPLORE_APPLICABLE_H
#define EXPLORE_APPLICABLE_H

#include "explore/configurations.h"

/* Whether the option's strategy applies to the program of 'd' with the options that it
 * cannot be without (lift_option_context), those that are named first or one of the
 * others that would do; or in some family. Loops need not have their levels. False and
 * the reason if not, or if the option is not for the kind of device of 'd' or the
 * contract. Options that do nothing apply. */
bool option_applies(struct derivation *d, const struct lift_option *option,
                    struct lift_str *why);

#endif

#include "tuner/search/search_seen.h"
#include <string.h>

/* To add a technique, add one line here and one declaration in search_seen.h. The
 * first technique is the default. */
const struct lift_technique *const lift_techniques[] = {
    &search_forest, &search_climb, &search_random, &search_exhaustive, NULL,
};

const struct lift_technique *lift_technique_find(const char *name)
{
    for (int i = 0; lift_techniques[i]; i++)
        if (!strcmp(lift_techniques[i]->name, name))
            return lift_techniques[i];
    return NULL;
}

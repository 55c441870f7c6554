/* Values of parameters in JSON objects of tunables, by their current or former names. */
#ifndef TUNER_PARAM_JSON_H
#define TUNER_PARAM_JSON_H

#include "base/json.h"
#include "tuner/space.h"

/* The object's value for the parameter; NULL if there is none, or 'tunables' is no
 * object. */
static inline const json_t *lift_param_in(const json_t *tunables,
                                          const struct lift_param *param)
{
    const json_t *value = json_object_get(tunables, param->name);

    return value || !param->former ? value : json_object_get(tunables, param->former);
}

#endif

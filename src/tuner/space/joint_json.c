#include "base/json.h"
#include "tuner/param_json.h"
#include "tuner/space/joint_core.h"

static bool value_in(void *user, const struct lift_param *param, int64_t *value)
{
    const json_t *found = lift_param_in(user, param);

    if (!json_is_integer(found))
        return false;
    *value = json_integer_value(found);
    return true;
}

bool lift_joint_carry_json(const struct lift_joint *joint, const char *json, int expr,
                           struct lift_choice *to)
{
    json_auto_t *object = lift_json_read(json, JSON_REJECT_DUPLICATES);
    bool good = json_is_object(object);
    const char *name;
    json_t *value;

    if (good)
        json_object_foreach(object, name, value) good = good && json_is_integer(value);
    good = good && joint_carry(joint, value_in, object, expr, to);
    return good;
}

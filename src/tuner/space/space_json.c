/* Points as JSON, the form in which the database names them. */
#include "base/bug.h"
#include "ir/tunable.h"
#include "tuner/param_json.h"

bool lift_param_called(const struct lift_param *param, const char *said)
{
    return lift_tunable_called(param->name, param->former, said);
}

char *lift_space_json(const struct lift_space *space, const int *point)
{
    json_t *object = json_object();
    char *text;

    for (int i = 0; i < lift_space_param_count(space); i++) {
        const struct lift_param *p = lift_space_param(space, i);

        if (p->tacit && p->values[point[i]] == 0)
            continue;
        if (json_object_set_new(object, p->name, json_integer(p->values[point[i]])))
            LIFT_BUG("cannot write the tunable '%s' as JSON", p->name);
    }
    text = lift_json_print(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    if (!text)
        LIFT_BUG("out of memory");
    return text;
}

/* The index of a value in the ascending list; -1 if the list lacks the value. */
static int index_of(const struct lift_param *p, int64_t value)
{
    int lo = 0, hi = p->count;

    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;

        if (p->values[mid] < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->count && p->values[lo] == value ? lo : -1;
}

static bool read_point(const struct lift_space *space, const json_t *object, int *point)
{
    int count = lift_space_param_count(space);
    size_t named = 0;

    if (!json_is_object(object))
        return false;
    for (int i = 0; i < count; i++) {
        const struct lift_param *p = lift_space_param(space, i);
        const json_t *value = lift_param_in(object, p);

        if (value ? !json_is_integer(value) : !p->tacit)
            return false;
        named += value != NULL;
        point[i] = index_of(p, value ? json_integer_value(value) : 0);
        if (point[i] < 0)
            return false;
    }
    return json_object_size(object) == named && lift_space_valid(space, point);
}

bool lift_space_parse(const struct lift_space *space, const char *json, int *point)
{
    json_auto_t *object = lift_json_read(json, JSON_REJECT_DUPLICATES);

    return read_point(space, object, point);
}

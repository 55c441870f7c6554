#include "report/depths.h"
#include "base/memory.h"
#include "run/depth.h"
#include <string.h>

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

static bool have_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static int steps_of(const json_t *row)
{
    return (int)json_integer_value(json_object_get(row, "steps"));
}

/* Joins all rows of other numbers of steps to a row of single steps. */
static void join(json_t *problems, const json_t *single)
{
    const char *text = text_of(single, "text");
    const struct lift_source source = {text_of(single, "program"), text, strlen(text)};
    struct depth_ids ids = {.source = &source};
    struct lift_hash id;
    json_t *row;
    size_t i;

    json_array_foreach(problems, i, row)
    {
        if (steps_of(row) > 1 && have_same(row, single, "program") &&
            have_same(row, single, "sizes") && have_same(row, single, "dtype") &&
            lift_hash_parse(text_of(row, "program_id"), &id) &&
            depth_is_of(&ids, steps_of(row), id))
            json_object_set(row, "single", json_object_get(single, "id"));
    }
}

void report_join_depths(json_t *problems)
{
    json_t *row;
    size_t i;

    json_array_foreach(problems, i, row) json_object_set_new(row, "single", json_null());
    json_array_foreach(problems, i, row)
    {
        if (steps_of(row) == 1)
            join(problems, row);
    }
}

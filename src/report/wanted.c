/* Finds rows of a database that a request excluded. */
#include "report/wanted.h"
#include "base/guess.h"
#include "base/json.h"
#include <string.h>

/* ---- sizes */

bool report_sizes_agree(const struct lift_size_setting *sizes, int count,
                        const char *json)
{
    json_auto_t *object = lift_json_read(json, 0);
    bool agree = object != NULL;

    for (int i = 0; i < count && agree; i++) {
        const json_t *value = json_object_get(object, sizes[i].name);

        agree = json_is_integer(value) && json_integer_value(value) == sizes[i].value;
    }
    return agree;
}

int report_sizes_of(struct lift_arena *arena, const char *json,
                    struct lift_size_setting **out)
{
    json_t *object = lift_json_read(json, 0), *value;
    const char *name;
    int count = 0;

    *out = LIFT_NEW_ARRAY(arena, struct lift_size_setting, json_object_size(object) + 1);
    json_object_foreach(object, name, value)(*out)[count++] = (struct lift_size_setting){
        lift_arena_strdup(arena, name), json_integer_value(value)};
    json_decref(object);
    return count;
}

/* ---- other rows */

enum {
    BY_DEVICE = 1,
    BY_SIZE = 2,
    BY_DTYPE = 4,
    BY_PROGRAM = 8,
    BY_STEPS = 16,
    ALL_OPTIONS = BY_DEVICE | BY_SIZE | BY_DTYPE | BY_STEPS,
    MOST_LISTED = 8
};

struct row {
    const char *program, *sizes, *dtype, *device, *runtime;
    int steps;
};

/* Rows that match if some conditions are ignored, each distinct row once. */
struct others {
    const struct report_wanted *wanted;
    int without;
    struct lift_arena *arena;
    const char *items[MOST_LISTED];
    int count;
    bool more;
    struct lift_guess guess; /* a guess for the program's name */
};

static const char *name_of_row(const struct others *o, const struct row *row)
{
    switch (o->without) {
    case BY_DEVICE:
        return lift_arena_printf(o->arena, "%s (%s)", row->device, row->runtime);
    case BY_SIZE:
        return lift_arena_strdup(o->arena, row->sizes);
    case BY_DTYPE:
        return lift_arena_strdup(o->arena, row->dtype);
    case BY_STEPS:
        return lift_arena_printf(o->arena, "%d", row->steps);
    case ALL_OPTIONS:
        return lift_arena_printf(o->arena, "%s of %s on %s (%s)", row->sizes, row->dtype,
                                 row->device, row->runtime);
    default:
        return lift_arena_strdup(o->arena, row->program);
    }
}

static bool take(struct others *o, const struct row *row)
{
    const struct report_wanted *w = o->wanted;
    const char *name;

    if (!(o->without & BY_SIZE) &&
        !report_sizes_agree(w->sizes, w->size_count, row->sizes))
        return true;
    name = name_of_row(o, row);
    if (o->without & BY_PROGRAM)
        lift_guess_add(&o->guess, name);
    for (int i = 0; i < o->count; i++)
        if (!strcmp(o->items[i], name))
            return true;
    if (o->count == MOST_LISTED)
        o->more = true;
    else
        o->items[o->count++] = name;
    return true;
}

static bool take_best(void *user, const struct lift_db_best *b)
{
    return take(user, &(struct row){b->program, b->sizes, b->dtype, b->device, b->runtime,
                                    b->steps});
}

static bool take_explored(void *user, const struct lift_db_explored *e)
{
    return take(user, &(struct row){e->program, e->sizes, e->dtype, e->device, e->runtime,
                                    e->steps});
}

/* Collects the rows without some conditions; false after an error of the database. */
static bool look(struct lift_db *db, enum report_rows rows, struct others *o, int without)
{
    struct lift_db_filter filter = o->wanted->filter;

    o->without = without;
    o->count = 0;
    o->more = false;
    if (without & BY_DEVICE)
        filter.device = NULL;
    if (without & BY_DTYPE)
        filter.dtype = NULL;
    if (without & BY_STEPS)
        filter.steps = 0;
    if (without & BY_PROGRAM)
        filter.program = NULL;
    return rows == REPORT_ROWS_BEST ? lift_db_best(db, &filter, take_best, o)
                                    : lift_db_explored(db, &filter, take_explored, o);
}

static void add_list(const struct others *o, const char *head, struct lift_str *out)
{
    for (int i = 0; i < o->count; i++)
        lift_str_addf(out, "%s%s", i ? ", " : head, o->items[i]);
    lift_str_add(out, o->more ? ", ..." : "");
}

/* For each option, lists the rows without this option. If there are none, lists the
 * rows of the program. */
static bool say_options(struct lift_db *db, enum report_rows rows, struct others *o,
                        struct lift_str *out)
{
    const struct report_where *w = o->wanted->where;
    const struct {
        int without;
        bool given;
        const char *head;
    } options[] = {{BY_DEVICE, w->device != NULL, "; without --device there are: "},
                   {BY_SIZE, w->size != NULL, "; without --size there are: "},
                   {BY_DTYPE, w->dtype != NULL, "; without --precision there are: "},
                   {BY_STEPS, w->steps > 0, "; of --steps there are: "}};
    size_t before = out->len;

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given) {
            if (!look(db, rows, o, options[i].without))
                return false;
            add_list(o, options[i].head, out);
        }
    if (out->len > before)
        return true;
    if (!look(db, rows, o, ALL_OPTIONS))
        return false;
    add_list(o, "; there are: ", out);
    return true;
}

static bool say_programs(struct lift_db *db, enum report_rows rows, struct others *o,
                         struct lift_str *out)
{
    if (!look(db, rows, o, ALL_OPTIONS | BY_PROGRAM))
        return false;
    if (o->guess.name)
        lift_guess_print(&o->guess, out);
    else
        add_list(o, "; there are some of: ", out);
    return true;
}

bool report_say_others(struct lift_db *db, enum report_rows rows,
                       const struct report_wanted *w, struct lift_str *out)
{
    struct others o = {.wanted = w, .arena = lift_arena_create()};
    size_t before = out->len;
    bool good;

    o.guess.word = w->where->program ? w->where->program : "";
    good = say_options(db, rows, &o, out);
    if (good && out->len == before && w->filter.program)
        good = say_programs(db, rows, &o, out);
    lift_arena_destroy(o.arena);
    return good;
}

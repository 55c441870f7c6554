/* Why no row of the database is what was asked for, and what there is. */
#include "cli/cli.h"
#include "lift/guess.h"
#include <string.h>

enum {
    BY_DEVICE = 1,
    BY_SIZE = 2,
    BY_DTYPE = 4,
    BY_PROGRAM = 8,
    ALL_OPTIONS = BY_DEVICE | BY_SIZE | BY_DTYPE,
    MOST_LISTED = 8
};

struct row {
    const char *program, *sizes, *dtype, *device, *runtime;
};

/* What there is if some of the conditions are left out, each kind of it once. */
struct others {
    const struct cli_wanted *wanted;
    int without;
    struct lift_arena *arena;
    const char *items[MOST_LISTED];
    int count;
    bool more;
    struct lift_guess guess; /* at the program */
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
    case ALL_OPTIONS:
        return lift_arena_printf(o->arena, "%s of %s on %s (%s)", row->sizes, row->dtype,
                                 row->device, row->runtime);
    default:
        return lift_arena_strdup(o->arena, row->program);
    }
}

static bool take(struct others *o, const struct row *row)
{
    const struct cli_wanted *w = o->wanted;
    const char *name;

    if (!(o->without & BY_SIZE) && !cli_sizes_agree(w->sizes, w->size_count, row->sizes))
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
    return take(user,
                &(struct row){b->program, b->sizes, b->dtype, b->device, b->runtime});
}

static bool take_explored(void *user, const struct lift_db_explored *e)
{
    return take(user,
                &(struct row){e->program, e->sizes, e->dtype, e->device, e->runtime});
}

/* False if the database says no. */
static bool look(struct lift_db *db, enum cli_rows rows, struct others *o, int without)
{
    struct lift_db_filter filter = o->wanted->filter;

    o->without = without;
    o->count = 0;
    o->more = false;
    if (without & BY_DEVICE)
        filter.device = NULL;
    if (without & BY_DTYPE)
        filter.dtype = NULL;
    if (without & BY_PROGRAM)
        filter.program = NULL;
    return rows == CLI_ROWS_BEST ? lift_db_best(db, &filter, take_best, o)
                                 : lift_db_explored(db, &filter, take_explored, o);
}

static void add_list(const struct others *o, const char *head, struct lift_str *out)
{
    for (int i = 0; i < o->count; i++)
        lift_str_addf(out, "%s%s", i ? ", " : head, o->items[i]);
    lift_str_add(out, o->more ? ", ..." : "");
}

/* Which of the options alone leaves nothing, else what the program has. */
static bool say_options(struct lift_db *db, enum cli_rows rows, struct others *o,
                        struct lift_str *out)
{
    const struct cli_where *w = o->wanted->where;
    const struct {
        int without;
        const char *given, *head;
    } options[] = {{BY_DEVICE, w->device, "; without --device there are: "},
                   {BY_SIZE, w->size, "; without --size there are: "},
                   {BY_DTYPE, w->dtype, "; without --precision there are: "}};
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

static bool say_programs(struct lift_db *db, enum cli_rows rows, struct others *o,
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

bool cli_say_others(struct lift_db *db, enum cli_rows rows, const struct cli_wanted *w,
                    struct lift_str *out)
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

int cli_nothing(struct lift_db *db, const char *what, enum cli_rows rows,
                const struct cli_wanted *w)
{
    const struct cli_where *where = w->where;
    struct lift_str text = {0};
    bool good;

    lift_str_addf(&text, "no %s", what);
    if (where->program)
        lift_str_addf(&text, " of '%s'", where->program);
    if (where->device)
        lift_str_addf(&text, " for --device '%s'", where->device);
    if (where->size)
        lift_str_addf(&text, " at --size '%s'", where->size);
    if (where->precision)
        lift_str_addf(&text, " with --precision %s", where->precision);
    lift_str_add(&text, " in the database");
    good = cli_say_others(db, rows, w, &text);
    cli_fail(CLI_FAILED, "%s", good ? lift_str_get(&text) : lift_db_error(db));
    lift_str_fini(&text);
    return CLI_FAILED;
}

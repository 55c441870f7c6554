/* Stores the option of each decision that an expression has:
 * "copy=tma,tiling=divisible", ordered by decision. */
#include "base/bug.h"
#include "base/memory.h"
#include "tuner/db/db_internal.h"
#include "tuner/db/db_values.h"
#include <stdlib.h>
#include <string.h>

/* ---- texts */

static const char not_options[] =
    "not options such as copy=tma,tiling=divisible, in order";

static const char *pair_wrong(const char *decision, const char *option, const char *last)
{
    size_t most = LIFT_DB_NAME;

    if (!option || !db_is_word(decision, strlen(decision)) ||
        !db_is_word(option, strlen(option)) || strcmp(last, decision) >= 0)
        return not_options;
    return strlen(decision) > most || strlen(option) > most ? "of a name that is too long"
                                                            : NULL;
}

/* Splits the text. Returns the number of options, or -1 and the error. */
static int read_options(char *text, struct lift_db_option out[LIFT_DB_OPTIONS],
                        const char **wrong)
{
    const char *last = "";
    int count = 0;

    *wrong = NULL;
    for (char *pair = *text ? text : NULL; pair; last = out[count++].decision) {
        char *rest = strchr(pair, ','), *equals;

        if (count == LIFT_DB_OPTIONS)
            *wrong = "of too many decisions";
        if (*wrong)
            return -1;
        if (rest)
            *rest++ = '\0';
        equals = strchr(pair, '=');
        if (equals)
            *equals++ = '\0';
        *wrong = pair_wrong(pair, equals, last);
        out[count] = (struct lift_db_option){pair, equals};
        pair = rest;
    }
    return *wrong ? -1 : count;
}

const char *db_options_wrong(const char *text, size_t len)
{
    struct lift_db_option options[LIFT_DB_OPTIONS];
    const char *wrong;
    LIFT_FREED char *copy = lift_strndup(text, len);

    read_options(copy, options, &wrong);
    return wrong;
}

/* ---- rows in */

static int by_decision(const void *a, const void *b)
{
    return strcmp(((const struct lift_db_option *)a)->decision,
                  ((const struct lift_db_option *)b)->decision);
}

bool lift_db_put_configuration(struct lift_db *db, struct lift_hash expr,
                               const struct lift_db_option *options, int count)
{
    struct lift_db_option sorted[LIFT_DB_OPTIONS];
    LIFT_SCOPED(lift_str) text = {0};
    const char *wrong;

    if (count && !options)
        return db_failf(db, "'%s': the row that is to be put is NULL", db->path);
    LIFT_ASSERT(count >= 0 && count <= LIFT_DB_OPTIONS);
    for (int i = 0; i < count; i++)
        sorted[i] = options[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_decision);
    for (int i = 0; i < count; i++)
        lift_str_addf(&text, "%s%s=%s", i ? "," : "", sorted[i].decision,
                      sorted[i].option);
    wrong = db_options_wrong(lift_str_get(&text), text.len);
    return wrong ? db_failf(db, "'%s' takes no point '%.200s': it is %s", db->path,
                            lift_str_get(&text), wrong)
                 : db_write(db, NULL, DB_PUT_CONFIGURATION, "ht", expr,
                            lift_str_get(&text));
}

/* ---- rows out */

struct point_reader {
    lift_db_configuration_row *row;
    void *user;
};

/* Skips text that an import would reject. */
static bool read_point(sqlite3_stmt *stmt, void *user)
{
    const struct point_reader *r = user;
    LIFT_FREED char *text = lift_strdup(db_text(stmt, 3));
    struct lift_db_option options[LIFT_DB_OPTIONS];
    struct lift_db_configuration point = {
        .problem = db_hash(stmt, 0),
        .device_id = db_hash(stmt, 1),
        .expr = db_hash(stmt, 2),
        .options = options,
        .trials = db_count(stmt, 4),
        .verified = db_count(stmt, 5),
        .seconds = db_real(stmt, 6, DB_MOST_SECONDS),
        .share = db_real(stmt, 7, DB_MOST_RATE),
        .best = db_int(stmt, 8),
    };
    const char *wrong;
    bool more = true;

    point.option_count = read_options(text, options, &wrong);
    if (!wrong)
        more = r->row(r->user, &point);
    return more;
}

bool lift_db_configurations(struct lift_db *db, lift_db_configuration_row *row,
                            void *user)
{
    return db_each_row(db, db_query(db, DB_CONFIGURATIONS, ""), read_point,
                       &(struct point_reader){row, user});
}

struct text_reader {
    struct lift_str *out;
    bool *known;
};

static bool read_text(sqlite3_stmt *stmt, void *user)
{
    const struct text_reader *r = user;
    const char *text = db_text(stmt, 0);

    *r->known = !db_options_wrong(text, strlen(text));
    if (*r->known)
        lift_str_add(r->out, text);
    return false;
}

bool lift_db_configuration_of(struct lift_db *db, struct lift_hash expr,
                              struct lift_str *out, bool *known)
{
    struct text_reader r = {out, known};

    *known = false;
    return db_each_row(db, db_query(db, DB_CONFIGURATION, "h", expr), read_text, &r);
}

struct rule_reader {
    lift_db_rule_row *row;
    void *user;
};

static bool read_rule(sqlite3_stmt *stmt, void *user)
{
    const struct rule_reader *r = user;

    return r->row(r->user, db_text(stmt, 0), db_count(stmt, 1));
}

bool lift_db_rules(struct lift_db *db, lift_db_rule_row *row, void *user)
{
    return db_each_row(db, db_query(db, DB_RULES, ""), read_rule,
                       &(struct rule_reader){row, user});
}

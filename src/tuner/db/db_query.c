/* Queries (tuner/db_query.h). */
#include "tuner/db_query.h"
#include "tuner/db/db_internal.h"
#include <csv.h>
#include <string.h>

bool db_each_row(struct lift_db *db, sqlite3_stmt *stmt, db_row_reader *reader,
                 void *user)
{
    int more;

    if (!stmt)
        return false;
    while ((more = db_step(db, stmt)) > 0)
        if (!reader(stmt, user)) {
            more = 0;
            break;
        }
    db_done(stmt);
    return more == 0;
}

DB_ROWS_OF_FILTER(lift_db_best, lift_db_best_row, lift_db_best,
                  (DB_BEST, "tttti", filter->program, filter->sizes, filter->device,
                   filter->dtype, filter->steps),
                  .program = db_text(stmt, 0), .sizes = db_text(stmt, 1),
                  .device = db_text(stmt, 2), .runtime = db_text(stmt, 3),
                  .tunables = db_text(stmt, 4), .gpts = db_real(stmt, 5, DB_MOST_RATE),
                  .gbs = db_real(stmt, 6, DB_MOST_RATE),
                  .copy_share = db_real(stmt, 7, DB_MOST_RATE),
                  .seconds = db_real(stmt, 8, DB_MOST_SECONDS), .expr = db_hash(stmt, 9),
                  .trial = db_hash(stmt, 10), .problem = db_hash(stmt, 11),
                  .device_id = db_hash(stmt, 12), .dtype = db_text(stmt, 13),
                  .program_id = db_hash(stmt, 14), .steps = db_int(stmt, 15),
                  .confirmed = db_int(stmt, 16) != 0, .in_cache = db_int(stmt, 17) != 0)

DB_ROWS_OF_FILTER(lift_db_explored, lift_db_explored_row, lift_db_explored,
                  (DB_EXPLORED, "tttti", filter->program, filter->sizes, filter->device,
                   filter->dtype, filter->steps),
                  .program = db_text(stmt, 0), .sizes = db_text(stmt, 1),
                  .device = db_text(stmt, 2), .runtime = db_text(stmt, 3),
                  .problem = db_hash(stmt, 4), .device_id = db_hash(stmt, 5),
                  .exprs = db_count(stmt, 6), .trials = db_count(stmt, 7),
                  .verified = db_count(stmt, 8), .dtype = db_text(stmt, 9),
                  .steps = db_int(stmt, 10))

DB_ROWS_OF_PAIR(lift_db_families, lift_db_family_row, lift_db_family, DB_FAMILIES,
                .family = db_text(stmt, 5), .gpts = db_real(stmt, 6, DB_MOST_RATE),
                .gbs = db_real(stmt, 7, DB_MOST_RATE),
                .copy_share = db_real(stmt, 8, DB_MOST_RATE) / 100,
                .seconds = db_real(stmt, 9, 1e3 * DB_MOST_SECONDS) * 1e-3,
                .trials = db_count(stmt, 10), .exprs = db_count(stmt, 11),
                .expr = db_hash(stmt, 12))

enum lift_trial_status db_status_of(const char *name)
{
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++)
        if (!strcmp(name, lift_trial_status_name((enum lift_trial_status)i)))
            return (enum lift_trial_status)i;
    return LIFT_TRIAL_LOST;
}

static enum lift_trial_phase phase_of(const char *name)
{
    for (int i = 0; i < LIFT_TRIAL_PHASES; i++)
        if (!strcmp(name, lift_trial_phase_name((enum lift_trial_phase)i)))
            return (enum lift_trial_phase)i;
    return LIFT_TRIAL_PHASE_SEARCH;
}

DB_ROWS_OF_PAIR(lift_db_tried, lift_db_tried_row, lift_db_tried, DB_TRIED,
                .expr = db_hash(stmt, 0), .trial = db_hash(stmt, 1),
                .tunables = db_text(stmt, 2), .reason = db_text(stmt, 3),
                .status = db_status_of(db_text(stmt, 4)),
                .seconds = db_real(stmt, 5, DB_MOST_SECONDS),
                .phase = phase_of(db_text(stmt, 6)),
                .cost = db_real(stmt, 7, DB_MOST_SECONDS))

static bool read_count(sqlite3_stmt *stmt, void *user)
{
    int64_t *by_status = user;

    by_status[db_status_of(db_text(stmt, 0))] += db_count(stmt, 1);
    return true;
}

bool lift_db_counts(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                    int64_t by_status[LIFT_TRIAL_STATUSES])
{
    memset(by_status, 0, sizeof *by_status * LIFT_TRIAL_STATUSES);
    return db_each_row(db, db_query(db, DB_COUNTS, "hh", problem, device), read_count,
                       by_status);
}

DB_ROWS_OF_PAIR(lift_db_failures, lift_db_failure_row, lift_db_failure, DB_FAILURES,
                .status = db_text(stmt, 0), .reason = db_text(stmt, 1),
                .count = db_count(stmt, 2))

DB_ROWS_OF_PAIR(lift_db_finalists, lift_db_finalist_row, lift_db_finalist, DB_FINALISTS,
                .place = db_int(stmt, 0), .trial = db_hash(stmt, 1),
                .seconds = db_real(stmt, 2, DB_MOST_SECONDS),
                .low = db_real(stmt, 3, DB_MOST_SECONDS),
                .high = db_real(stmt, 4, DB_MOST_SECONDS), .tied = db_int(stmt, 5))

DB_ROWS_OF_PAIR(lift_db_reach, lift_db_reach_row, lift_db_reach, DB_REACH,
                .what = db_text(stmt, 0), .reason = db_text(stmt, 1),
                .count = db_count(stmt, 2))

/* Ids. */

static const struct {
    enum db_stmt stmt;
    const char *what;
} ids[] = {
    [LIFT_DB_ID_EXPR] = {DB_FIND_EXPR, "expression"},
    [LIFT_DB_ID_TRIAL] = {DB_FIND_TRIAL, "trial"},
    [LIFT_DB_ID_PROGRAM] = {DB_FIND_PROGRAM, "program"},
};

static bool read_id(sqlite3_stmt *stmt, void *user)
{
    lift_hash_consider(user, db_hash(stmt, 0));
    return true;
}

bool lift_db_find(struct lift_db *db, enum lift_db_id what, const char *digits,
                  struct lift_hash *out)
{
    struct lift_hash_search s = {.digits = digits};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = db_each_row(db, db_query(db, ids[what].stmt, "t", digits), read_id, &s);

    if (good && !lift_hash_found(&s, ids[what].what, out, &why))
        good = db_failf(db, "'%s': %s", db->path, lift_str_get(&why));
    return good;
}

/* Texts. */

static const struct {
    enum db_stmt stmt;
    enum lift_db_id of;
    const char *what;
} texts[] = {
    [LIFT_DB_TEXT_EXPR] = {DB_TEXT_EXPR, LIFT_DB_ID_EXPR, "text of expression"},
    [LIFT_DB_TEXT_SOURCE] = {DB_TEXT_SOURCE, LIFT_DB_ID_TRIAL, "source of trial"},
    [LIFT_DB_TEXT_LOG] = {DB_TEXT_LOG, LIFT_DB_ID_TRIAL, "log of trial"},
};

struct text_reader {
    struct lift_str *out;
    int rows;
};

static bool read_text(sqlite3_stmt *stmt, void *user)
{
    struct text_reader *r = user;

    lift_str_add(r->out, db_text(stmt, 0));
    r->rows++;
    return false;
}

bool lift_db_text(struct lift_db *db, enum lift_db_text what, const char *id,
                  struct lift_str *out)
{
    struct text_reader r = {.out = out};
    struct lift_hash hash;

    if (!lift_db_find(db, texts[what].of, id, &hash) ||
        !db_each_row(db, db_query(db, texts[what].stmt, "h", hash), read_text, &r))
        return false;
    return r.rows || db_failf(db, "'%s' has no %s '%s'", db->path, texts[what].what, id);
}

struct program_reader {
    struct lift_str text, ids;
    char dtype[16]; /* of the first program */
    int steps;      /* of the first program */
    bool mixed;     /* programs differ in precision */
    bool several;   /* programs differ in the number of steps */
    int rows;
};

static bool read_program(sqlite3_stmt *stmt, void *user)
{
    struct program_reader *r = user;

    int steps = db_int(stmt, 3);

    if (r->rows == 0) {
        snprintf(r->dtype, sizeof r->dtype, "%s", db_text(stmt, 2));
        r->steps = steps;
    }
    r->mixed |= strcmp(r->dtype, db_text(stmt, 2)) != 0;
    r->several |= r->steps != steps;
    lift_str_addf(&r->ids, r->rows++ ? ", %s" : "%s", db_text(stmt, 1));
    if (*db_text(stmt, 2))
        lift_str_addf(&r->ids, " (%s)", db_text(stmt, 2));
    if (steps > 1)
        lift_str_addf(&r->ids, " (%d steps)", steps);
    lift_str_clear(&r->text);
    lift_str_add(&r->text, db_text(stmt, 0));
    return true;
}

bool lift_db_program(struct lift_db *db, const struct lift_db_filter *which,
                     struct lift_str *out)
{
    const char *id = which->program, *dtype = which->dtype;
    struct program_reader r = {.rows = 0};
    bool ok =
        db_each_row(db, db_query(db, DB_TEXT_PROGRAM, "tti", id, dtype, which->steps),
                    read_program, &r);

    if (ok && r.rows == 1)
        lift_str_add(out, lift_str_get(&r.text));
    else if (ok && r.rows)
        ok = db_failf(db, "'%s' has several programs '%s': %s; name one by its id%s%s",
                      db->path, id, lift_str_get(&r.ids),
                      r.mixed ? ", or by --precision single or double" : "",
                      r.several ? ", or by --steps" : "");
    else if (ok)
        ok = db_failf(db, "'%s' has no program '%s'%s%s", db->path, id,
                      dtype ? " of " : "", dtype ? dtype : "");
    lift_str_fini(&r.text);
    lift_str_fini(&r.ids);
    return ok && r.rows == 1;
}

/* CSV. */

static void put_field(FILE *out, int column, const char *text)
{
    if (column)
        fputc(',', out);
    csv_fwrite(out, text, strlen(text));
}

static bool put_row(sqlite3_stmt *stmt, void *user)
{
    FILE *out = user;

    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        put_field(out, i, db_text(stmt, i));
    return fputc('\n', out) != EOF;
}

bool lift_db_export_csv(struct lift_db *db, enum lift_db_csv what, FILE *out)
{
    static const enum db_stmt stmts[] = {
        [LIFT_DB_CSV_BEST] = DB_CSV_BEST,
        [LIFT_DB_CSV_TRIALS] = DB_CSV_TRIALS,
        [LIFT_DB_CSV_TIMINGS] = DB_CSV_TIMINGS,
        [LIFT_DB_CSV_FAMILIES] = DB_FAMILIES,
    };
    sqlite3_stmt *stmt = db_query(db, stmts[what], "");

    if (!stmt)
        return false;
    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        put_field(out, i, sqlite3_column_name(stmt, i));
    fputc('\n', out);
    return db_each_row(db, stmt, put_row, out);
}

/* Common parts of the database's suites: a small world of rows, in a separate folder. */
#ifndef LIFT_TESTS_DB_WORLD_H
#define LIFT_TESTS_DB_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "lift/error.h"
#include "scratch.h"
#include "tuner/db.h"
#include "tuner/db/db_internal.h"
#include "tuner/db_query.h"
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static inline struct lift_db *open_db(const char *path, enum lift_db_mode mode)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(path, mode, &error);

    if (!db)
        fail_msg("%s", lift_error_text(&error));
    lift_error_fini(&error);
    return db;
}

/* The message of an open that must fail. */
static inline char *open_error(const char *path, enum lift_db_mode mode)
{
    struct lift_error error = {0};

    assert_null(lift_db_open(path, mode, &error));
    return lift_str_take(&error.text);
}

#define OK(db, call)                                                                     \
    do {                                                                                 \
        if (!(call))                                                                     \
            fail_msg("%s: %s", #call, lift_db_error(db));                                \
    } while (0)

static inline struct lift_hash hash_of(const char *text)
{
    return lift_hash_text(text);
}

/* The first column of the first row, as text; the caller frees it. */
static inline char *ask(struct lift_db *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    char *text;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db->handle));
    text = strdup(sqlite3_step(stmt) == SQLITE_ROW ? db_text(stmt, 0) : "no row");
    sqlite3_finalize(stmt);
    return text;
}

static inline void assert_answer(struct lift_db *db, const char *sql,
                                 const char *expected)
{
    char *text = ask(db, sql);

    assert_string_equal(text, expected);
    free(text);
}

/* A database with one program, two devices and some trials. */

struct world {
    struct lift_db *db;
    struct lift_hash program, root, middle, low[2], problem, device[2], session;
};

static const struct lift_device_info devices[2] = {
    {.name = "Test CPU",
     .vendor = "Acme",
     .runtime = "host",
     .driver = "1",
     .arch = "x",
     .compiler = "cc 1",
     .compute_units = 4,
     .global_bytes = 1 << 30},
    {.name = "Test GPU",
     .vendor = "Acme",
     .runtime = "opencl",
     .driver = "2",
     .arch = "y",
     .compiler = "ocl",
     .compute_units = 80,
     .local_bytes = 49152},
};

static inline void put_exprs(struct world *w)
{
    const struct {
        struct lift_hash *id;
        const char *text;
        enum lift_db_level level;
    } rows[] = {
        {&w->root, "map f . slide 3 1", LIFT_DB_HIGH},
        {&w->middle, "join . map (map f) . split v", LIFT_DB_HIGH},
        {&w->low[0], "mapPar (mapSeq f)", LIFT_DB_LOW},
        {&w->low[1], "mapWrg (mapLcl f)", LIFT_DB_LOW},
    };

    for (int i = 0; i < 4; i++) {
        *rows[i].id = hash_of(rows[i].text);
        OK(w->db,
           lift_db_put_expr(w->db, &(struct lift_db_expr){*rows[i].id, rows[i].text,
                                                          rows[i].level, 5 + i}));
    }
}

static inline void put_derivs(struct world *w)
{
    struct lift_db_deriv rows[] = {
        {w->middle, w->root, "splitJoin", "0", "v"},
        {w->root, w->middle, "joinSplit", "0", ""}, /* the way back */
        {w->low[0], w->middle, "lowerPar", "0.1", ""},
        {w->low[0], w->root, "lowerAll", "0", ""}, /* found later: not shown */
        {w->low[1], w->middle, "lowerWrg", "0.1", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        OK(w->db, lift_db_put_deriv(w->db, &rows[i]));
}

static inline void put_problem(struct world *w)
{
    struct lift_db_problem problem = {.program = w->program,
                                      .root = w->root,
                                      .sizes = "{\"nx\":100,\"ny\":10}",
                                      .params = "{}",
                                      .dtype = "f32",
                                      .points = 1000,
                                      .bytes = 8000};

    OK(w->db, lift_db_put_problem(w->db, &problem, &w->problem));
}

static inline void fill_world(struct world *w)
{
    struct lift_db_session session = {"lift-explore a.lift --seed 7", UINT64_MAX, "60 s",
                                      "0.1"};

    w->program = hash_of("acoustic program");
    OK(w->db, lift_db_put_program(
                  w->db, &(struct lift_db_program){w->program, "acoustic", "the text"}));
    put_exprs(w);
    put_derivs(w);
    put_problem(w);
    for (int i = 0; i < 2; i++) {
        w->device[i] = lift_device_hash(&devices[i]);
        OK(w->db, lift_db_put_device(w->db, &devices[i]));
    }
    OK(w->db, lift_db_put_copy_bandwidth(w->db, w->device[0], 20));
    OK(w->db, lift_db_session_start(w->db, &session, &w->session));
}

static inline void begin(struct world *w, const char *path)
{
    w->db = open_db(path, LIFT_DB_WRITE);
    fill_world(w);
}

static inline struct lift_hash start_trial(struct world *w, int low, int device,
                                           const char *tunables)
{
    struct lift_db_trial trial = {
        .problem = w->problem, .device = w->device[device], .session = w->session};
    struct lift_hash id;

    OK(w->db, lift_db_put_candidate(w->db, w->low[low], tunables, &trial.candidate));
    OK(w->db, lift_db_trial_start(w->db, &trial, &id));
    return id;
}

static const struct lift_db_check good_checks[] = {
    {LIFT_CHECK_SMALL, 1e-7, 1e-5, 0, -1},
    {LIFT_CHECK_FULL, 2e-7, 1e-5, 0, -1},
};

static const struct lift_db_build a_build = {
    .source = "kernel",
    .compiler = "cc 1",
    .driver = "1",
    .flags = "-O3",
    .log = "warning: x",
    .resources = {
        .registers = 32, .spill_bytes = -1, .local_bytes = 0, .max_group_size = -1}};

static inline struct lift_db_end ok_end(const double *samples, int count)
{
    return (struct lift_db_end){.status = LIFT_TRIAL_OK,
                                .build = &a_build,
                                .checks = good_checks,
                                .check_count = 2,
                                .samples = samples,
                                .sample_count = count};
}

static inline struct lift_hash put_ok(struct world *w, int low, int device,
                                      const char *tunables, double seconds)
{
    double samples[] = {seconds * 1.5, seconds, seconds * 0.5};
    struct lift_db_end end = ok_end(samples, 3);
    struct lift_hash id = start_trial(w, low, device, tunables);

    OK(w->db, lift_db_trial_finish(w->db, id, &end));
    return id;
}

static inline struct lift_hash put_failure(struct world *w, int low, int device,
                                           enum lift_trial_status status,
                                           const char *reason)
{
    struct lift_db_check check = {LIFT_CHECK_FULL, NAN, 1e-5, 3, 17};
    struct lift_db_end end = {.status = status, .reason = reason, .build = &a_build};
    struct lift_hash id = start_trial(w, low, device, "{\"tile\":99}");

    if (status == LIFT_TRIAL_WRONG || status == LIFT_TRIAL_NONFINITE) {
        end.checks = &check;
        end.check_count = 1;
    }
    OK(w->db, lift_db_trial_finish(w->db, id, &end));
    return id;
}

static inline void put_trials(struct world *w)
{
    put_ok(w, 0, 0, "{\"tile\":16}", 2e-6);
    put_ok(w, 0, 0, "{\"tile\":32}", 1e-6);
    put_ok(w, 1, 1, "{\"tile\":32}", 4e-6);
    put_failure(w, 0, 0, LIFT_TRIAL_COMPILE_ERROR, "unknown type");
    put_failure(w, 0, 0, LIFT_TRIAL_COMPILE_ERROR, "unknown type");
    put_failure(w, 0, 0, LIFT_TRIAL_WRONG, "3 values");
    put_failure(w, 1, 1, LIFT_TRIAL_NONFINITE, "");
}

static inline void end(struct world *w)
{
    OK(w->db, lift_db_session_end(w->db, w->session, "budget"));
    lift_db_close(w->db);
}

struct rows {
    int count;
    char text[16][256];
};

static inline bool note_best(void *user, const struct lift_db_best *b)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256,
             "%s %s %s %s gpts %.3f gbs %.3f share %.3f us %.3f", b->program, b->sizes,
             b->device, b->tunables, b->gpts, b->gbs, b->copy_share, b->seconds * 1e6);
    return true;
}

#endif

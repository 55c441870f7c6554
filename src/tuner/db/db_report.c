/* Rows out, for reports. */
#include "tuner/db_report.h"
#include "tuner/db/db_internal.h"

DB_ROWS_OF_FILTER(lift_db_devices, lift_db_device_reader, lift_db_device_row,
                  (DB_REPORT_DEVICES, "t", filter->device), .id = db_hash(stmt, 0),
                  .runtime = db_text(stmt, 1), .name = db_text(stmt, 2),
                  .vendor = db_text(stmt, 3), .arch = db_text(stmt, 4),
                  .compute_units = db_int(stmt, 5),
                  .copy_gbs = db_real(stmt, 6, DB_MOST_RATE), .copy_at = db_text(stmt, 7))

DB_ROWS_OF_FILTER(lift_db_problems, lift_db_problem_reader, lift_db_problem_row,
                  (DB_REPORT_PROBLEMS, "ttti", filter->program, filter->sizes,
                   filter->dtype, filter->steps),
                  .id = db_hash(stmt, 0), .program = db_text(stmt, 1),
                  .text = db_text(stmt, 2), .sizes = db_text(stmt, 3),
                  .params = db_text(stmt, 4), .dtype = db_text(stmt, 5),
                  .points = db_count(stmt, 6), .bytes = db_count(stmt, 7),
                  .program_id = db_hash(stmt, 8), .steps = db_int(stmt, 9))

DB_ROWS(lift_db_sessions, lift_db_session_reader, lift_db_session_row,
        (struct lift_db * db), (DB_REPORT_SESSIONS, ""), .id = db_hash(stmt, 0),
        .argv = db_text(stmt, 1), .seed = db_text(stmt, 2), .budget = db_text(stmt, 3),
        .versions = db_text(stmt, 4), .host = db_text(stmt, 5),
        .started = db_text(stmt, 6), .ended = db_text(stmt, 7),
        .end_reason = db_text(stmt, 8))

struct read_status_rows {
    lift_db_status_reader *row;
    void *user;
};

static bool read_status(sqlite3_stmt *stmt, void *user)
{
    const struct read_status_rows *r = user;

    return r->row(r->user, db_text(stmt, 0), db_text(stmt, 1));
}

bool lift_db_statuses(struct lift_db *db, lift_db_status_reader *reader, void *user)
{
    return db_each_row(db, db_query(db, DB_REPORT_STATUSES, ""), read_status,
                       &(struct read_status_rows){reader, user});
}

DB_ROWS(lift_db_all_tries, lift_db_try_reader, lift_db_try_row, (struct lift_db * db),
        (DB_REPORT_TRIES, ""), .problem = db_hash(stmt, 0), .device = db_hash(stmt, 1),
        .session = db_hash(stmt, 2), .id = db_text(stmt, 3),
        .candidate = db_text(stmt, 4), .status = db_text(stmt, 5),
        .reason = db_text(stmt, 6), .phase = db_text(stmt, 7),
        .seconds = db_real(stmt, 8, DB_MOST_SECONDS),
        .compile_s = db_real(stmt, 9, DB_MOST_SECONDS),
        .check_s = db_real(stmt, 10, DB_MOST_SECONDS),
        .measure_s = db_real(stmt, 11, DB_MOST_SECONDS), .ended = db_text(stmt, 12))

DB_ROWS_OF_PAIR(lift_db_top, lift_db_top_reader, lift_db_top_row, DB_TOP,
                .try = db_text(stmt, 0), .candidate = db_text(stmt, 1),
                .expr = db_hash(stmt, 2), .tunables = db_text(stmt, 3),
                .seconds = db_real(stmt, 4, DB_MOST_SECONDS),
                .gpts = db_real(stmt, 5, DB_MOST_RATE),
                .gbs = db_real(stmt, 6, DB_MOST_RATE),
                .roof = db_real(stmt, 7, DB_MOST_RATE), .later = db_int(stmt, 8) != 0)

static bool read_cost(sqlite3_stmt *stmt, void *user)
{
    *(struct lift_db_cost *)user =
        (struct lift_db_cost){.compile = db_real(stmt, 0, DB_MOST_SECONDS),
                              .check = db_real(stmt, 1, DB_MOST_SECONDS),
                              .measure = db_real(stmt, 2, DB_MOST_SECONDS)};
    return true;
}

bool lift_db_cost(struct lift_db *db, struct lift_hash session, struct lift_hash problem,
                  struct lift_hash device, struct lift_db_cost *cost)
{
    return db_each_row(db, db_query(db, DB_COST, "hhh", problem, device, session),
                       read_cost, cost);
}

DB_ROWS(lift_db_kernel, lift_db_kernel_reader, lift_db_kernel_row,
        (struct lift_db * db, const char *try), (DB_REPORT_KERNEL, "t", try),
        .expr = db_hash(stmt, 0), .session = db_hash(stmt, 1),
        .tunables = db_text(stmt, 2), .flags = db_text(stmt, 3),
        .registers = db_known(stmt, 4), .spill_bytes = db_known(stmt, 5),
        .local_bytes = db_known(stmt, 6), .verified = db_int(stmt, 7) != 0,
        .candidate = db_text(stmt, 8))

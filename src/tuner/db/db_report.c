/* Rows out, for reports. */
#include "lift/db_report.h"
#include "tuner/db/db_internal.h"

DB_ROWS(read_device, lift_db_device_reader, lift_db_device_row, .id = db_hash(stmt, 0),
        .runtime = db_text(stmt, 1), .name = db_text(stmt, 2), .vendor = db_text(stmt, 3),
        .arch = db_text(stmt, 4), .compute_units = sqlite3_column_int(stmt, 5),
        .copy_gbs = sqlite3_column_double(stmt, 6), .copy_at = db_text(stmt, 7))

bool lift_db_devices(struct lift_db *db, const struct lift_db_filter *filter,
                     lift_db_device_reader *reader, void *user)
{
    return db_each_row(db, db_query(db, DB_REPORT_DEVICES, "t", filter->device),
                       read_device, &(struct read_device_rows){reader, user});
}

DB_ROWS(read_problem, lift_db_problem_reader, lift_db_problem_row, .id = db_hash(stmt, 0),
        .program = db_text(stmt, 1), .text = db_text(stmt, 2), .sizes = db_text(stmt, 3),
        .params = db_text(stmt, 4), .dtype = db_text(stmt, 5),
        .points = sqlite3_column_int64(stmt, 6), .bytes = sqlite3_column_int64(stmt, 7),
        .program_id = db_hash(stmt, 8), .steps = sqlite3_column_int(stmt, 9))

bool lift_db_problems(struct lift_db *db, const struct lift_db_filter *filter,
                      lift_db_problem_reader *reader, void *user)
{
    return db_each_row(db,
                       db_query(db, DB_REPORT_PROBLEMS, "ttti", filter->program,
                                filter->sizes, filter->dtype, filter->steps),
                       read_problem, &(struct read_problem_rows){reader, user});
}

DB_ROWS(read_session, lift_db_session_reader, lift_db_session_row, .id = db_hash(stmt, 0),
        .argv = db_text(stmt, 1), .seed = db_text(stmt, 2), .budget = db_text(stmt, 3),
        .versions = db_text(stmt, 4), .host = db_text(stmt, 5),
        .started = db_text(stmt, 6), .ended = db_text(stmt, 7),
        .end_reason = db_text(stmt, 8))

bool lift_db_sessions(struct lift_db *db, lift_db_session_reader *reader, void *user)
{
    return db_each_row(db, db_query(db, DB_REPORT_SESSIONS, ""), read_session,
                       &(struct read_session_rows){reader, user});
}

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

DB_ROWS(read_try, lift_db_try_reader, lift_db_try_row, .problem = db_hash(stmt, 0),
        .device = db_hash(stmt, 1), .session = db_hash(stmt, 2), .id = db_text(stmt, 3),
        .candidate = db_text(stmt, 4), .status = db_text(stmt, 5),
        .reason = db_text(stmt, 6), .phase = db_text(stmt, 7),
        .seconds = sqlite3_column_double(stmt, 8) * 1e-9,
        .compile_s = sqlite3_column_double(stmt, 9),
        .check_s = sqlite3_column_double(stmt, 10),
        .measure_s = sqlite3_column_double(stmt, 11), .ended = db_text(stmt, 12))

bool lift_db_all_tries(struct lift_db *db, lift_db_try_reader *reader, void *user)
{
    return db_each_row(db, db_query(db, DB_REPORT_TRIES, ""), read_try,
                       &(struct read_try_rows){reader, user});
}

DB_ROWS(read_top, lift_db_top_reader, lift_db_top_row, .try = db_text(stmt, 0),
        .candidate = db_text(stmt, 1), .expr = db_hash(stmt, 2),
        .tunables = db_text(stmt, 3), .seconds = sqlite3_column_double(stmt, 4) * 1e-9,
        .gpts = sqlite3_column_double(stmt, 5), .gbs = sqlite3_column_double(stmt, 6),
        .roof = sqlite3_column_double(stmt, 7))

bool lift_db_top(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                 lift_db_top_reader *reader, void *user)
{
    return db_each_row(db, db_query(db, DB_TOP, "hh", problem, device), read_top,
                       &(struct read_top_rows){reader, user});
}

static bool read_cost(sqlite3_stmt *stmt, void *user)
{
    *(struct lift_db_cost *)user =
        (struct lift_db_cost){.compile = sqlite3_column_double(stmt, 0),
                              .check = sqlite3_column_double(stmt, 1),
                              .measure = sqlite3_column_double(stmt, 2)};
    return true;
}

bool lift_db_cost(struct lift_db *db, struct lift_hash session, struct lift_hash problem,
                  struct lift_hash device, struct lift_db_cost *cost)
{
    return db_each_row(db, db_query(db, DB_COST, "hhh", problem, device, session),
                       read_cost, cost);
}

DB_ROWS(read_kernel, lift_db_kernel_reader, lift_db_kernel_row, .expr = db_hash(stmt, 0),
        .session = db_hash(stmt, 1), .tunables = db_text(stmt, 2),
        .flags = db_text(stmt, 3), .registers = sqlite3_column_int64(stmt, 4),
        .spill_bytes = sqlite3_column_int64(stmt, 5),
        .local_bytes = sqlite3_column_int64(stmt, 6),
        .verified = sqlite3_column_int(stmt, 7) != 0, .candidate = db_text(stmt, 8))

bool lift_db_kernel(struct lift_db *db, const char *try, lift_db_kernel_reader *reader,
                    void *user)
{
    return db_each_row(db, db_query(db, DB_REPORT_KERNEL, "t", try), read_kernel,
                       &(struct read_kernel_rows){reader, user});
}

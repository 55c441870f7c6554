/* Queries that find kernels. */
#include "tuner/db/db_internal.h"

DB_ROWS_OF_PAIR(lift_db_ranked, lift_db_ranked_row, lift_db_ranked, DB_RANKED,
                .expr = db_hash(stmt, 0), .trial = db_hash(stmt, 1),
                .tunables = db_text(stmt, 2),
                .seconds = db_real(stmt, 3, DB_MOST_SECONDS))

DB_ROWS(lift_db_kernels, lift_db_kernel_row, lift_db_kernel,
        (struct lift_db * db, const struct lift_db_filter *filter, int64_t most),
        (DB_KERNELS, "tttiti", filter->program, filter->sizes, filter->device, most,
         filter->dtype, filter->steps),
        .program = db_text(stmt, 0), .text = db_text(stmt, 1), .sizes = db_text(stmt, 2),
        .device = db_text(stmt, 3), .runtime = db_text(stmt, 4), .arch = db_text(stmt, 5),
        .tunables = db_text(stmt, 6), .seconds = db_real(stmt, 7, DB_MOST_SECONDS),
        .problem = db_hash(stmt, 8), .device_id = db_hash(stmt, 9),
        .expr = db_hash(stmt, 10), .trial = db_hash(stmt, 11),
        .source = db_hash(stmt, 12), .dtype = db_text(stmt, 13),
        .steps = db_int(stmt, 14))

bool lift_db_device(struct lift_db *db, struct lift_hash device, lift_db_device_row *row,
                    void *user)
{
    sqlite3_stmt *stmt = db_query(db, DB_DEVICE, "h", device);
    int more = stmt ? db_step(db, stmt) : -1;
    const struct lift_runtime *runtime =
        more > 0 ? lift_runtime_named(db_text(stmt, 2)) : NULL;

    if (runtime) {
        struct lift_device_info info = {
            .name = db_text(stmt, 0),
            .vendor = db_text(stmt, 1),
            .runtime = runtime->name,
            .driver = "",
            .arch = db_text(stmt, 3),
            .compiler = "",
            .dialect = runtime->dialect,
            .compute_units = db_int(stmt, 4),
            .simd_width = db_int(stmt, 5),
            .max_group_size = db_int(stmt, 6),
            .local_bytes = db_count(stmt, 7),
            .global_bytes = db_count(stmt, 8),
        };

        lift_device_unit(&info);
        row(user, &info);
    }
    if (stmt)
        db_done(stmt);
    return more >= 0;
}

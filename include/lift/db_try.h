/* Sessions and tries in the database (lift/db.h): what was run, and what became of it. */
#ifndef LIFT_DB_TRY_H
#define LIFT_DB_TRY_H

#include "lift/db.h"

/* A session is one run of the program. Host, process and time are filled in. */
struct lift_db_session {
    const char *argv; /* the command line */
    uint64_t seed;
    const char *budget;   /* "60 s", "100 tries" */
    const char *versions; /* of the program and its rules */
};

bool lift_db_session_start(struct lift_db *db, const struct lift_db_session *session,
                           struct lift_hash *id);
/* 'reason': "budget", "exhausted", "interrupted", ...; tries still in hand become lost.
 */
bool lift_db_session_end(struct lift_db *db, struct lift_hash session,
                         const char *reason);

/* What a session could reach: counts by 'what' and reason; docs/database.md has the
 * words.
 */
struct lift_db_reach {
    const char *what, *reason;
    int64_t count;
};

/* Replaces nothing: a row that is there already stays. */
bool lift_db_put_reach(struct lift_db *db, struct lift_hash session,
                       struct lift_hash problem, struct lift_hash device,
                       const struct lift_db_reach *reach);

/* What became of a try; docs/database.md says what each means. */
enum lift_try_status {
    LIFT_TRY_STARTED,
    LIFT_TRY_OK,
    LIFT_TRY_SLOW,
    LIFT_TRY_CONSTRAINT,
    LIFT_TRY_CODEGEN,
    LIFT_TRY_COMPILE_ERROR,
    LIFT_TRY_COMPILE_TIMEOUT,
    LIFT_TRY_RESOURCE,
    LIFT_TRY_LAUNCH_ERROR,
    LIFT_TRY_RUN_ERROR,
    LIFT_TRY_RUN_TIMEOUT,
    LIFT_TRY_CRASH,
    LIFT_TRY_WRONG,
    LIFT_TRY_NONFINITE,
    LIFT_TRY_LOST,
    LIFT_TRY_STATUSES
};

/* "ok", "compile_error", ... */
const char *lift_try_status_name(enum lift_try_status status);

struct lift_db_try {
    struct lift_hash candidate, problem, device, session;
};

struct lift_db_build {
    const char *source; /* not NULL */
    const char *compiler, *driver, *flags, *log;
    struct lift_resources resources;
};

enum lift_check_kind { LIFT_CHECK_SMALL, LIFT_CHECK_FULL };

struct lift_db_check {
    enum lift_check_kind kind; /* against the interpreter, or at the problem's size */
    double max_error, bound;   /* not a number is stored as NULL */
    int64_t bad;               /* values beyond the bound */
    int64_t first_bad;         /* index of the first; -1: none */
};

struct lift_db_end {
    enum lift_try_status status; /* any but STARTED */
    const char *reason; /* short, alike for alike failures; details go to the log */
    const struct lift_db_build *build; /* NULL: no source was made */
    const struct lift_db_check *checks;
    int check_count;
    const double *samples; /* seconds of a launch, in order */
    int sample_count;
};

/* To be called before anything of the try is run. On return the row is on the disk,
 * unless a transaction is open, which would defeat its purpose. */
bool lift_db_try_start(struct lift_db *db, const struct lift_db_try *try,
                       struct lift_hash *id);
/* Stores all that is known of a try, at once. OK needs a sample, and a FULL check and no
 * bad value in any: a kernel that was not verified is never called best. */
bool lift_db_try_finish(struct lift_db *db, struct lift_hash id,
                        const struct lift_db_end *end);

#endif

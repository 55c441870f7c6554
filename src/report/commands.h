/* Command lines for messages. */
#ifndef REPORT_COMMANDS_H
#define REPORT_COMMANDS_H

#include "base/arena.h"
#include "base/str.h"
#include "tuner/db_query.h"

/* The name of a problem's program for a command line, such that no other program
 * matches. If another program has the same name, a precision or a number of steps is
 * added. If these do not suffice, the name is the program's id. */
struct report_named {
    const char *program;
    const char *precision; /* for --precision; NULL: not needed */
    int steps;             /* for --steps; 0: not needed */
};
/* Finds the name, in 'arena'; false after an error of the database. */
bool report_named(struct lift_db *db, struct lift_arena *arena, struct lift_hash problem,
                  struct report_named *out);

/* Appends "lift best PROGRAM --db DB --device DEVICE --size ... --emit source",
 * quoted for a shell. 'sizes' is JSON. */
void report_emit_command(const struct report_named *program, const char *db,
                         const char *device, const char *sizes, struct lift_str *out);
/* Appends "lift explore FILE --db DB --device DEVICE --size ... --only-final-benchmark",
 * which times the fastest kernels of the database again. 'precision' NULL: the file's;
 * 'steps' 0: any. */
struct report_retiming {
    const char *file, *precision, *db, *device, *sizes;
    int steps;
};
void report_final_command(const struct report_retiming *of, struct lift_str *out);
void report_show_command(const struct report_named *program, const char *db,
                         struct lift_str *out);
void report_report_command(const char *db, struct lift_str *out);

#endif

/* Command lines that users are told. */
#ifndef REPORT_COMMANDS_H
#define REPORT_COMMANDS_H

#include "base/arena.h"
#include "base/str.h"
#include "tuner/db_query.h"

/* How a command line names the program of a problem, so that no other of the database is
 * meant: its name, with a precision or a number of steps where another has the same name;
 * else its id. */
struct report_named {
    const char *program;
    const char *precision; /* for --precision; NULL: none is needed */
    int steps;             /* for --steps; 0: likewise */
};
/* In 'arena'; false if the database says no. */
bool report_named(struct lift_db *db, struct lift_arena *arena, struct lift_hash problem,
                  struct report_named *out);

/* "lift best PROGRAM --db DB --device DEVICE --size ... --emit source", quoted for a
 * shell. 'sizes' is JSON. */
void report_emit_command(const struct report_named *program, const char *db,
                         const char *device, const char *sizes, struct lift_str *out);
void report_show_command(const struct report_named *program, const char *db,
                         struct lift_str *out);
void report_report_command(const char *db, struct lift_str *out);

#endif

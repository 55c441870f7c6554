/* Command lines that users are told. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "lift/str.h"

/* "lift best PROGRAM --db DB --device DEVICE --size ... --emit source", quoted for a
 * shell. 'sizes' is JSON. */
void cli_emit_command(const char *program, const char *db, const char *device,
                      const char *sizes, struct lift_str *out);
void cli_show_command(const char *program, const char *db, struct lift_str *out);
void cli_report_command(const char *db, struct lift_str *out);

#endif

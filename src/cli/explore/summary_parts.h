/* Shared by the files that write a summary. */
#ifndef CLI_EXPLORE_SUMMARY_PARTS_H
#define CLI_EXPLORE_SUMMARY_PARTS_H

#include "cli/explore/summary.h"
#include "report/commands.h"
#include "report/short.h"
#include <jansson.h>

/* One device of an exploration, with what the database says of it. */
struct summary_part {
    const struct cli_summary *summary;
    const struct lift_explore_part *part;
    struct lift_db *db;
    const struct report_named *program; /* as command lines name it */
    struct report_top top;
    struct lift_db_cost cost;
};

/* The command that writes the source of the best kernel. */
void summary_emit_command(const struct summary_part *s, struct lift_str *out);

json_t *summary_part_json(struct summary_part *s);
/* Takes 'devices'. */
json_t *summary_json(const struct cli_summary *s, const struct report_named *program,
                     const char *end, json_t *devices);

#endif

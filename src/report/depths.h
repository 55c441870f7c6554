/* Temporal blocking in a report: problems that differ only in their time steps a launch.
 */
#ifndef REPORT_DEPTHS_H
#define REPORT_DEPTHS_H

#include <jansson.h>

/* Adds "single" to each row of "problems": the id of the problem with single steps of the
 * same program, sizes and precision; null if the row has single steps, or if the document
 * has no such problem. Rows need their "text". A database is data: the row's number of
 * steps counts only if the row's program has these steps. */
void report_join_depths(json_t *problems);

#endif

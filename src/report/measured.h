/* Measurements outside the database: kernels by hand, published peers, counters of
 * memory traffic. 'lift report --measured' reads these from CSV files
 * (docs/report.md). */
#ifndef REPORT_MEASURED_H
#define REPORT_MEASURED_H

#include "base/str.h"
#include <jansson.h>
#include <stdbool.h>

/* Appends to 'rows' a row for each line of a CSV file that matches a problem and a
 * device of 'document'. Sets '*others' to the number of other lines. Returns false
 * and a message, "FILE:LINE: ...", if the file cannot be read or is malformed; 'rows'
 * is then unchanged. */
bool report_measured_read(const char *path, const json_t *document, json_t *rows,
                          int *others, struct lift_str *why);

#endif

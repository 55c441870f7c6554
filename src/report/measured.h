/* Measurements that are in no database: kernels by hand, published peers, counters of
 * memory traffic. 'lift report --measured' reads them from CSV files (docs/report.md). */
#ifndef REPORT_MEASURED_H
#define REPORT_MEASURED_H

#include "base/str.h"
#include <jansson.h>
#include <stdbool.h>

/* Appends to 'rows' a row for each line of a CSV file that is of a problem and a device
 * of 'document', and sets '*others' to the number of other lines. False and a message,
 * "FILE:LINE: ...", if the file cannot be read or is malformed; then 'rows' is as before.
 */
bool report_measured_read(const char *path, const json_t *document, json_t *rows,
                          int *others, struct lift_str *why);

#endif

/* The importance of parameters for the kernels of a problem, as JSON
 * (docs/report.md). */
#ifndef REPORT_PARAMETERS_H
#define REPORT_PARAMETERS_H

#include "report/family.h"
#include <jansson.h>

/* Appends to 'families' a row for each kernel family that was tried for a problem on
 * a device. Appends one row to 'importance' if there are enough trials. Returns false
 * if the database cannot be read. */
bool report_add_parameters(const struct report_families *f, struct lift_db *db,
                           struct lift_hash problem, struct lift_hash device,
                           json_t *families, json_t *importance);

#endif

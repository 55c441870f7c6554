/* Formats numbers for people. Each function writes to 'out' and returns 'out'. */
#ifndef REPORT_UNITS_H
#define REPORT_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { REPORT_UNITS = 48 };

/* Three digits: "2.15", "36.1", "812", "0.0431". */
const char *report_digits(double value, char out[REPORT_UNITS]);
/* Time of a launch: "1.97 ms", "48.2 us" (with a micro sign), "2.04 s". */
const char *report_launch_time(double seconds, char out[REPORT_UNITS]);
/* A duration: "12.3 s", "2 min 05 s", "1 h 03 min". */
const char *report_duration(double seconds, char out[REPORT_UNITS]);
/* "1,234,567". */
const char *report_count(int64_t count, char out[REPORT_UNITS]);
const char *report_bytes(double bytes, char out[REPORT_UNITS]);
/* "94.7 % of copy bandwidth"; 'share' is 1 for the copy bandwidth. */
const char *report_copy_share(double share, bool in_cache, char out[REPORT_UNITS]);

#endif

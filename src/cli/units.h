/* Numbers for people. Each function writes to 'out' and returns it. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include <stdint.h>

enum { CLI_UNITS = 48 };

/* Three digits: "2.15", "36.1", "812", "0.0431". */
const char *cli_digits(double value, char out[CLI_UNITS]);
/* Time of a launch: "1.97 ms", "48.2 us" (with a micro sign), "2.04 s". */
const char *cli_launch_time(double seconds, char out[CLI_UNITS]);
/* How long somebody waited: "12.3 s", "2 min 05 s", "1 h 03 min". */
const char *cli_duration(double seconds, char out[CLI_UNITS]);
/* "1,234,567". */
const char *cli_count(int64_t count, char out[CLI_UNITS]);
const char *cli_bytes(double bytes, char out[CLI_UNITS]);

#endif

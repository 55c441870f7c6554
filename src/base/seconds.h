#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

/* Seconds since a fixed moment while the machine runs: only differences are
 * meaningful. */
double lift_seconds(void);
/* Processor time of this process so far, without the time of other processes. */
double lift_processor_seconds(void);

#endif

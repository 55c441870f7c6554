#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

/* Seconds since a moment that stays the same while the machine runs: differences count.
 */
double lift_seconds(void);
/* Processor time of this process so far: others that use the machine do not add to it. */
double lift_processor_seconds(void);

#endif

#ifndef LIFT_SECONDS_H
#define LIFT_SECONDS_H

/* Seconds since a moment that stays the same while the machine runs: differences count.
 */
double lift_seconds(void);

#endif

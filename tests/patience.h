/* Limits of time in tests follow the machine's speed. */
#ifndef LIFT_TESTS_PATIENCE_H
#define LIFT_TESTS_PATIENCE_H

#include <stdlib.h>

/* So many seconds of the machine that scripts/speed.sh compares with, here: as many times
 * more as LIFT_TEST_SLOWNESS says, which scripts/test.sh sets; as they are without it. */
static inline double patient(double seconds)
{
    const char *text = getenv("LIFT_TEST_SLOWNESS");
    double slowness = text ? strtod(text, NULL) : 1;

    return slowness > 1 ? seconds * slowness : seconds;
}

#endif

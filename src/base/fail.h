/* The reason of a failure, as a text that callers pass on. */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include "base/str.h"
#include <stdbool.h>

/* Appends a text as lift_str_addf does; the result is false. */
#define LIFT_FAIL(why, ...) (lift_str_addf(why, __VA_ARGS__), false)

#endif

/* The version of lift: of these headers as macros, of the library that runs by a
 * function. docs/use-a-kernel.md says what a version promises. */
#ifndef LIFT_VERSION_H
#define LIFT_VERSION_H

#include "lift/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LIFT_VERSION_MAJOR 0
#define LIFT_VERSION_MINOR 1
#define LIFT_VERSION_PATCH 0
#define LIFT_VERSION "0.1.0"

/* True if these headers are of that version or a later one; for #if. */
#define LIFT_VERSION_AT_LEAST(major, minor, patch)                                       \
    (LIFT_VERSION_MAJOR * 1000000 + LIFT_VERSION_MINOR * 1000 + LIFT_VERSION_PATCH >=    \
     (major)*1000000 + (minor)*1000 + (patch))

/* The version of the library, as LIFT_VERSION has it of the headers. */
LIFT_API const char *lift_version(void);

#ifdef __cplusplus
}
#endif

#endif

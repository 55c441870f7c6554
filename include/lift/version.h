/* The version of lift: macros for these headers, a function for the loaded library.
 * docs/use-a-kernel.md states the guarantees of a version. */
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

/* True if the version of these headers is at least the given version; for #if. */
#define LIFT_VERSION_AT_LEAST(major, minor, patch)                                       \
    (LIFT_VERSION_MAJOR * 1000000 + LIFT_VERSION_MINOR * 1000 + LIFT_VERSION_PATCH >=    \
     (major)*1000000 + (minor)*1000 + (patch))

/* The version of the library; LIFT_VERSION is the version of the headers. */
LIFT_API const char *lift_version(void);

#ifdef __cplusplus
}
#endif

#endif

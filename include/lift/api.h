/* Marks the functions that the shared library exports. A header that includes this
 * header is installed, and users may use all its declarations (docs/use-a-kernel.md). */
#ifndef LIFT_API_H
#define LIFT_API_H

#define LIFT_API __attribute__((visibility("default")))

#endif

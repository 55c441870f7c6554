/* Marks the functions that the shared library has. A header that includes this one is
 * installed, and all that it declares may be used (docs/use-a-kernel.md). */
#ifndef LIFT_API_H
#define LIFT_API_H

#define LIFT_API __attribute__((visibility("default")))

#endif

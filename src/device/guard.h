/* Guard bands: memory on both sides of a buffer that no kernel has business with. */
#ifndef DEVICE_GUARD_H
#define DEVICE_GUARD_H

#include <stddef.h>
#include <stdint.h>

enum { DEVICE_GUARD_BYTES = 4096 };

/* Writes the pattern: NaN in single precision, a huge number in others, so that results
 * that depend on it are noticed. */
void device_guard_fill(void *band, size_t bytes);
/* The first byte that differs from the pattern, -1 if none does. */
int64_t device_guard_changed(const void *band, size_t bytes);
/* The byte of a buffer, counted from its begin, at which its bands of 'band' bytes differ
 * at 'front' and 'back'; LIFT_UNTOUCHED if both are -1. */
int64_t device_guard_place(int64_t front, int64_t back, size_t band, size_t bytes);

#endif

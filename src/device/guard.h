/* Guard bands: memory on both sides of a buffer that no kernel may access. */
#ifndef DEVICE_GUARD_H
#define DEVICE_GUARD_H

#include <stddef.h>
#include <stdint.h>

enum { DEVICE_GUARD_BYTES = 4096 };

/* Writes the pattern: NaN in f32 and a huge number in other types. So checks detect
 * results that depend on the pattern. */
void device_guard_fill(void *band, size_t bytes);
/* Returns the first byte that differs from the pattern; -1 if no byte differs. */
int64_t device_guard_changed(const void *band, size_t bytes);
/* Converts positions 'front' and 'back' in the two bands of 'band' bytes to a position
 * relative to the buffer's begin. -1: the band is unchanged. Returns LIFT_UNTOUCHED if
 * both are -1. */
int64_t device_guard_place(int64_t front, int64_t back, size_t band, size_t bytes);

#endif

#include "device/guard.h"
#include "device/device.h"

static unsigned char pattern(size_t at)
{
    static const unsigned char bytes[] = {0xe1, 0xc3, 0xa5, 0x7f};

    return bytes[at % sizeof bytes];
}

void device_guard_fill(void *band, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)band)[i] = pattern(i);
}

int64_t device_guard_changed(const void *band, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)band)[i] != pattern(i))
            return (int64_t)i;
    return -1;
}

int64_t device_guard_place(int64_t front, int64_t back, size_t band, size_t bytes)
{
    if (front >= 0)
        return front - (int64_t)band;
    return back >= 0 ? (int64_t)bytes + back : LIFT_UNTOUCHED;
}

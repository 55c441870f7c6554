/* Pins each thread of kernels to a separate core, in a process that only runs kernels.
 * OpenMP's variables do not suffice: a process may have two OpenMP libraries, and the
 * second one counts only the cores that the first has left to its caller. */
#ifndef DEVICE_PINS_H
#define DEVICE_PINS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { DEVICE_MOST_PINS = 1024 };

struct device_pins {
    bool on, placed;               /* some threads have a core */
    cpu_set_t all;                 /* where this process may run */
    pid_t known[DEVICE_MOST_PINS]; /* threads that were looked at */
    int known_count;
};

/* False if a variable of OpenMP says where threads belong. */
bool device_pins_wanted(void);
/* Of '{0}': from now on, if that is wanted. */
void device_pins_start(struct device_pins *pins);
/* The caller runs on its own core from here to 'leave'. */
void device_pins_enter(const struct device_pins *pins);
void device_pins_leave(const struct device_pins *pins);
/* Gives each thread that came since the last time a core, the caller's left out. More
 * than there are cores are left to the system. */
void device_pins_take(struct device_pins *pins);

#endif

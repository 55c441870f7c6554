/* Binds each thread of kernels to a separate core, in a process that only runs kernels.
 * OpenMP's variables do not suffice for two OpenMP libraries in a process. The second
 * library would use only the cores to which the first has bound the caller. */
#ifndef DEVICE_PINS_H
#define DEVICE_PINS_H

#include "device/topology.h"
#include <stdbool.h>
#include <sys/types.h>

enum { DEVICE_MOST_PINS = 1024 };

struct device_pins {
    bool on, placed;               /* placed: some threads are bound */
    cpu_set_t all;                 /* usable cores of this process */
    struct device_topology cores;  /* their order */
    int threads;                   /* of a kernel, the caller included */
    pid_t known[DEVICE_MOST_PINS]; /* threads found so far */
    int known_count;
    pid_t bound; /* the caller of kernels, bound since device_pins_enter; 0: none */
};

/* Returns false if an OpenMP variable places threads. */
bool device_pins_wanted(void);
/* Starts binding, if device_pins_wanted; 'pins' is '{0}' before. Threads with near
 * numbers get near cores. Fewer threads than cores are spread over all memory domains. */
void device_pins_start(struct device_pins *pins);
/* The core of a thread, from 0 to 'threads' - 1: at most as many as cores. */
int device_pins_core(const struct device_topology *cores, int thread, int threads);
/* Binds the caller to its own core until device_pins_leave, which any thread may call. */
void device_pins_enter(struct device_pins *pins);
void device_pins_leave(struct device_pins *pins);
/* Binds each new thread to a core other than the caller's. If there are more threads than
 * cores, the system places the threads. */
void device_pins_take(struct device_pins *pins);

#endif

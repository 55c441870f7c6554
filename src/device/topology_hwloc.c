/* Asks hwloc. The library is loaded on demand, so lift also runs where only the headers
 * were installed during the build. */
#include "device/topology_t.h"
#include <dlfcn.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char library[] = "libhwloc.so.15"; /* all versions 2.x */

/* The functions of hwloc that are used, with the types of its header. */
struct hwloc {
    void *handle;
    __typeof__(hwloc_topology_init) *init;
    __typeof__(hwloc_topology_load) *load;
    __typeof__(hwloc_topology_destroy) *destroy;
    __typeof__(hwloc_topology_is_thissystem) *is_here;
    __typeof__(hwloc_get_type_depth) *depth;
    __typeof__(hwloc_get_nbobjs_by_depth) *count;
    __typeof__(hwloc_get_obj_by_depth) *object;
    __typeof__(hwloc_bitmap_isset) *has;
};

static bool find(const struct hwloc *h, const char *name, void *function)
{
    void *found = dlsym(h->handle, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool open_library(struct hwloc *h)
{
    h->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return h->handle && find(h, "hwloc_topology_init", &h->init) &&
           find(h, "hwloc_topology_load", &h->load) &&
           find(h, "hwloc_topology_destroy", &h->destroy) &&
           find(h, "hwloc_topology_is_thissystem", &h->is_here) &&
           find(h, "hwloc_get_type_depth", &h->depth) &&
           find(h, "hwloc_get_nbobjs_by_depth", &h->count) &&
           find(h, "hwloc_get_obj_by_depth", &h->object) &&
           find(h, "hwloc_bitmap_isset", &h->has);
}

static bool lists(const struct device_topology *t, unsigned cpu)
{
    for (int i = 0; i < t->count; i++)
        if ((unsigned)t->cpus[i] == cpu)
            return true;
    return false;
}

/* Adds the usable processors of a set, in hwloc's order, as one domain. A processor with
 * two kinds of memory belongs to the first. */
static void add_domain(const struct hwloc *h, hwloc_topology_t machine,
                       hwloc_const_cpuset_t set, const struct device_topology *usable,
                       struct device_topology *out)
{
    int depth = h->depth(machine, HWLOC_OBJ_PU), before = out->count;
    unsigned count = h->count(machine, depth);

    for (unsigned i = 0; i < count && out->count < CPU_SETSIZE; i++) {
        unsigned cpu = h->object(machine, depth, i)->os_index;

        if (!h->has(set, cpu) || lists(out, cpu) ||
            (h->is_here(machine) && !lists(usable, cpu)))
            continue;
        out->domain[out->count] = out->domains;
        out->cpus[out->count++] = (int)cpu;
    }
    out->domains += out->count > before;
}

void device_topology_ask(struct device_topology *t)
{
    struct hwloc h = {.handle = NULL};
    struct device_topology found = {.count = 0};
    hwloc_topology_t machine;

    if (open_library(&h) && h.init(&machine) == 0) {
        if (h.load(machine) == 0)
            for (unsigned i = 0; i < h.count(machine, HWLOC_TYPE_DEPTH_NUMANODE); i++)
                add_domain(&h, machine,
                           h.object(machine, HWLOC_TYPE_DEPTH_NUMANODE, i)->cpuset, t,
                           &found);
        h.destroy(machine);
    }
    if (found.count > 0)
        *t = found;
    if (h.handle)
        dlclose(h.handle);
}

#include "base/locale.h"
#include "base/parallel.h"
#include "device/device_t.h"
#include "device/memory.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { L2_UNKNOWN = 256 * 1024 };

/* Vector extensions in order of preference: their names in /proc/cpuinfo, and floats a
 * register. */
static const struct isa {
    const char *flag;
    int width;
} isas[] = {{"avx512f", 16}, {"avx2", 8}, {"avx", 8},
            {"sse2", 4},     {"sve", 4},  {"asimd", 4}};

bool device_read_text(const char *path, struct lift_str *out)
{
    FILE *file = fopen(path, "re");
    char chunk[16384];
    size_t got;
    bool good;

    if (!file)
        return false;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        lift_str_addn(out, chunk, got);
    good = !ferror(file);
    fclose(file);
    return good;
}

/* Appends the value of the first line "key : value" of 'text'. */
static bool find_value(const char *text, const char *key, struct lift_str *out)
{
    size_t key_len = strlen(key);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        const char *colon;

        line += *line == '\n';
        colon = strchr(line, ':');
        if (strncmp(line, key, key_len) != 0 || !colon)
            continue;
        if (strspn(line + key_len, " \t") != (size_t)(colon - line) - key_len)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        lift_str_addn(out, colon, strcspn(colon, "\n"));
        return true;
    }
    return false;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

static void probe_isa(const char *cpuinfo, const char *machine, struct device_cpu *cpu)
{
    struct lift_str flags = {0};

    lift_str_add(&cpu->arch, machine);
    cpu->simd_width = 1;
    if (!find_value(cpuinfo, "flags", &flags))
        find_value(cpuinfo, "Features", &flags);
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (!has_word(lift_str_get(&flags), isas[i].flag))
            continue;
        lift_str_addf(&cpu->arch, " %s", isas[i].flag);
        cpu->simd_width = isas[i].width;
        break;
    }
    lift_str_fini(&flags);
}

/* On Arm, /proc/cpuinfo has numbers in place of names. */
static void probe_name(const char *cpuinfo, const char *machine, struct device_cpu *cpu)
{
    struct lift_str part = {0};

    if (!find_value(cpuinfo, "vendor_id", &cpu->vendor))
        find_value(cpuinfo, "CPU implementer", &cpu->vendor);
    if (!find_value(cpuinfo, "model name", &cpu->name)) {
        lift_str_add(&cpu->name, machine);
        if (find_value(cpuinfo, "CPU part", &part))
            lift_str_addf(&cpu->name, " part %s", lift_str_get(&part));
    }
    lift_str_fini(&part);
}

/* Counts the processors in a list such as "0-3,8-11". */
static int count_list(const char *list)
{
    int count = 0;

    while (lift_is_digit(*list)) {
        char *end;
        long first = strtol(list, &end, 10), last = first;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        count += (int)(last - first) + 1;
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int count_list_file(const char *path)
{
    LIFT_SCOPED(lift_str) text = {0};
    int count;

    device_read_text(path, &text);
    count = count_list(lift_str_get(&text));
    return count > 0 ? count : 1;
}

/* Returns a core's share of cache 'index' of a processor; 0 if this is no L2 cache. */
static int64_t l2_share(int processor, int index)
{
    static const char base[] = "/sys/devices/system/cpu/cpu";
    char path[160];
    struct lift_str level = {0}, size = {0};
    long long kib = 0;
    int sharing, siblings;

    snprintf(path, sizeof path, "%s%d/cache/index%d/level", base, processor, index);
    device_read_text(path, &level);
    snprintf(path, sizeof path, "%s%d/cache/index%d/size", base, processor, index);
    device_read_text(path, &size);
    if (strtol(lift_str_get(&level), NULL, 10) == 2)
        kib = strtoll(lift_str_get(&size), NULL, 10); /* the unit is always K */
    lift_str_fini(&level);
    lift_str_fini(&size);
    snprintf(path, sizeof path, "%s%d/cache/index%d/shared_cpu_list", base, processor,
             index);
    sharing = count_list_file(path);
    snprintf(path, sizeof path, "%s%d/topology/thread_siblings_list", base, processor);
    siblings = count_list_file(path);
    return sharing <= siblings ? kib * 1024 : kib * 1024 * siblings / sharing;
}

static int64_t probe_l2(int processor)
{
    for (int index = 0; index < 8; index++) {
        int64_t bytes = l2_share(processor, index);

        if (bytes > 0)
            return bytes;
    }
    return L2_UNKNOWN;
}

/* Sets the number of usable cores, and returns the first usable core. */
static int probe_cores(struct device_cpu *cpu)
{
    cpu_set_t set;

    cpu->cores = lift_cores();
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            return i;
    return 0;
}

void device_cpu_probe(struct device_cpu *cpu)
{
    struct lift_str cpuinfo = {0};
    struct utsname names;
    int first;

    *cpu = (struct device_cpu){0};
    if (uname(&names) != 0)
        snprintf(names.machine, sizeof names.machine, "unknown");
    device_read_text("/proc/cpuinfo", &cpuinfo);
    probe_name(lift_str_get(&cpuinfo), names.machine, cpu);
    probe_isa(lift_str_get(&cpuinfo), names.machine, cpu);
    first = probe_cores(cpu);
    cpu->l2_bytes = probe_l2(first);
    cpu->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    lift_str_fini(&cpuinfo);
}

void device_cpu_fini(struct device_cpu *cpu)
{
    lift_str_fini(&cpu->name);
    lift_str_fini(&cpu->vendor);
    lift_str_fini(&cpu->arch);
}

int64_t device_cpu_available_memory(void)
{
    LIFT_SCOPED(lift_str) text = {0}, value = {0};
    int64_t kib = 0;

    device_read_text("/proc/meminfo", &text);
    if (find_value(lift_str_get(&text), "MemAvailable", &value))
        kib = strtoll(lift_str_get(&value), NULL, 10);
    return kib * 1024;
}

int64_t device_own_memory(int field)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long long pages = 0;
    bool known = file != NULL;

    for (int i = 0; known && i <= field; i++)
        known = fscanf(file, "%lld", &pages) == 1;
    if (file)
        fclose(file);
    return known ? pages * sysconf(_SC_PAGESIZE) : 0;
}

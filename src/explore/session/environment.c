/* The machine and the software of the trials. */
#include "explore/record.h"
#include "lift/version.h"
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of a line NAME="value" of /etc/os-release. */
static void read_os(char *out, size_t size)
{
    static const char key[] = "PRETTY_NAME=";
    FILE *file = fopen("/etc/os-release", "re");
    char line[256];

    out[0] = '\0';
    if (!file)
        return;
    while (!out[0] && fgets(line, sizeof line, file)) {
        const char *value = line + strlen(key);

        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        value += *value == '"';
        snprintf(out, size, "%.*s", (int)strcspn(value, "\"\n"), value);
    }
    fclose(file);
}

/* Identifies the board: its machine, and its place in the machine. */
static void name_unit(const struct lift_device_info *info, char *out, size_t size)
{
    char host[128];

    if (gethostname(host, sizeof host))
        host[0] = '\0';
    host[sizeof host - 1] = '\0';
    snprintf(out, size, "%s%s%s", host, info->pci[0] ? " " : "", info->pci);
}

bool record_env(struct recorder *r, const char *settings)
{
    struct utsname names = {0};
    char os[128], unit[192];
    struct lift_db_env env = {.os = os,
                              .driver = r->device->driver,
                              .compiler = r->device->compiler,
                              .tool = LIFT_VERSION,
                              .unit = unit,
                              .settings = settings};

    uname(&names);
    env.kernel = names.release;
    read_os(os, sizeof os);
    name_unit(r->device, unit, sizeof unit);
    return lift_db_put_env(r->db, &env, &r->env);
}

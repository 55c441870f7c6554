/* Processes that were ended. */
#ifndef LIFT_TESTS_GONE_H
#define LIFT_TESTS_GONE_H

#include "patience.h"
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* A zombie process counts as gone. */
static inline bool is_gone(pid_t pid)
{
    char path[64], state = 'X';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "r");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state == 'Z' || state == 'X';
}

/* Killed is not yet gone; after a minute of a fast machine it never will be. */
static inline bool becomes_gone(pid_t pid)
{
    for (int i = 0; i < 1000 * patient(60) && !is_gone(pid); i++)
        usleep(1000);
    return is_gone(pid);
}

#endif

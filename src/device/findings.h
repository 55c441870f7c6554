/* Cached answers about compilers, shared by a process and its children. */
#ifndef DEVICE_FINDINGS_H
#define DEVICE_FINDINGS_H

#include "base/str.h"
#include <stdbool.h>

/* Before the first child is forked: what it finds is then known to the next ones, too. */
void device_findings_share(void);
/* The answer to a question about a program (a file); false if it is unknown. */
bool device_findings_get(const char *question, const char *program,
                         struct lift_str *text);
/* Keeps an answer, if it is short and there is room. */
void device_findings_keep(const char *question, const char *program, const char *text);

#endif

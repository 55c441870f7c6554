/* Cached answers about compilers, shared by a process and its children. */
#ifndef DEVICE_FINDINGS_H
#define DEVICE_FINDINGS_H

#include "base/str.h"
#include <stdbool.h>

/* Creates the shared cache. A process calls this before it forks the first child. */
void device_findings_share(void);
/* Appends the answer to a question about a program (a file). Returns false if the answer
 * is unknown. */
bool device_findings_get(const char *question, const char *program,
                         struct lift_str *text);
/* Stores an answer, if the answer is short and an entry is free. */
void device_findings_keep(const char *question, const char *program, const char *text);

#endif

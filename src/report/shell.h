/* Quoting for a shell. */
#ifndef REPORT_SHELL_H
#define REPORT_SHELL_H

#include "base/str.h"

/* Appends 'word' with quotes, so that a POSIX shell reads one word. */
void report_quote(struct lift_str *out, const char *word);

#endif

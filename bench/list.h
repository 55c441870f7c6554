/* What a benchmark works on: programs with sizes, as they stand on its command line or in
 * a list file. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include <stdbool.h>

/* [+]FILE.lift[:SIZES[:PRECISION]], in a file followed by the SECONDS that it may take if
 * these are not those of the others. */
struct bench_item {
    char *program, *sizes; /* sizes NULL: the program's own */
    char *precision;       /* "single", "double"; NULL: the program's own */
    double seconds;        /* 0: as the others */
};

struct bench_list {
    struct bench_item *items;
    int count, cap;
};

/* Of arguments; '@FILE' stands for the lines of that file, from which '#' and what
 * follows, and blank lines, are left out. Ends the process with a message and status 2 if
 * a file cannot be read or a line is malformed. Released by bench_list_free. */
void bench_list_read(char *const *arguments, struct bench_list *out);
void bench_list_free(struct bench_list *list);

#endif

/* The programs and sizes of a benchmark, from its command line or a list file. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include <stdbool.h>

/* [+]FILE.lift[:SIZES[:PRECISION]]. In a list file SECONDS may follow, which
 * bench/explore.py reads. */
struct bench_item {
    char *program, *sizes; /* sizes NULL: the program's own */
    char *precision;       /* "single", "double"; NULL: the program's own */
};

struct bench_list {
    struct bench_item *items;
    int count, cap;
};

/* Reads arguments; '@FILE' stands for the lines of the file, without blank lines and
 * comments after '#'. Exits with a message and status 2 if a file cannot be read or a
 * line is malformed. Released by bench_list_free. */
void bench_list_read(char *const *arguments, struct bench_list *out);
void bench_list_free(struct bench_list *list);

#endif

/* The command of a benchmark of kernels: from its options to the figures of each program,
 * which a separate process measures. bench_gpu and bench_host differ in the kernels that
 * take part and in their tables. */
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include "explore/explore.h"
#include "turns.h"

struct entry_settings {
    const char *device, *database, *references;
    const char *without; /* as in lift_choose_options */
    const char *only;    /* references whose file has this in its name; NULL: all */
    int rounds;
    FILE *csv;                    /* NULL: none */
    struct turns_request request; /* the part that all programs share */
    struct lift_rules *rules;
    struct lift_db *db; /* NULL: none */
    struct lift_explore_device probed;
};

/* The figures of a program. */
struct entry_report {
    const struct entry_settings *settings;
    const char *program, *sizes, *dtype, *chosen; /* sizes as JSON */
    char short_sizes[128];                        /* "512x512x404", "512x512x404 f64" */
    double points, bytes;
    struct turns_result *turns;
};

/* Of a command. */
struct entry_kind {
    const char *name;    /* how messages begin */
    const char *options; /* that it takes, as for getopt */
    const char *usage;
    const char *programs; /* without any on the command line; NULL: that is a mistake */
    const char *columns;  /* of the CSV file after those of the program */
    /* After the device was opened; prints the head of the table, too. */
    void (*prepare)(struct entry_settings *s);
    /* Prints the figures, and writes them to the CSV file, if there is one. */
    void (*show)(const struct entry_report *r);
};

extern const struct entry_kind entry_kind;

/* Parts of a line of CSV, each with a comma after it. A number that is not above zero is
 * unknown: its field is empty. */
void entry_put_program(const struct entry_report *r);
void entry_put_text(FILE *out, const char *text);
void entry_put_numbers(FILE *out, const double *numbers, int count);
void entry_put_figure(FILE *out, struct figure f);
/* The last part, and the end of the line. */
void entry_put_failure(FILE *out, const char *failure);

#endif

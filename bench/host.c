/* The best host kernel that an exploration found for the room acoustics program, against
 * a loop nest written by hand: same compiler, same flags, runs interleaved.
 *
 *     bench/host DATABASE [FLAGS]
 *
 * The database must hold a verified kernel of 'acoustic' for the host at the default
 * size. */
#include "bench.h"
#include "lift/db_query.h"
#include "lift/device.h"
#include "lift/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, WARM = 2, POINTS = 512 * 512 * 404 };

struct contender {
    const char *name;
    char kernel[64];
    struct lift_binary *binary;
    double seconds[ROUNDS];
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "host: %s: %s\n", what, why);
    exit(1);
}

static bool keep_try(void *user, const struct lift_db_best *row)
{
    if (strcmp(row->runtime, "host") != 0 ||
        strcmp(row->sizes, "{\"nx\":512,\"ny\":512,\"nz\":404}") != 0)
        return true;
    lift_hash_hex(row->try, user);
    printf("database: %.2f GPts/s, tunables %s\n", row->gpts, row->tunables);
    return false;
}

static char *best_source(const char *path)
{
    struct lift_db_filter filter = {.program = "acoustic"};
    struct lift_str text = {0}, error = {0};
    struct lift_db *db = lift_db_open(path, LIFT_DB_READ, &error);
    char id[LIFT_HASH_HEX] = "";

    if (!db)
        stop("cannot open the database", lift_str_get(&error));
    if (!lift_db_best(db, &filter, keep_try, id) || !*id)
        stop("no kernel", "explore programs/acoustic.lift on the host first");
    if (!lift_db_text(db, LIFT_DB_TEXT_SOURCE, id, &text))
        stop("no source", lift_db_error(db));
    lift_db_close(db);
    return lift_str_take(&text);
}

static void build(struct lift_device *dev, struct contender *c, const char *source,
                  const char *flags)
{
    struct lift_failure failure = {0};
    const char *end = strstr(source, "_call(void *const");
    const char *begin = end;

    while (begin > source && begin[-1] != ' ')
        begin--;
    snprintf(c->kernel, sizeof c->kernel, "%.*s", (int)(end - begin), begin);
    c->binary = dev->runtime->build(dev, source, flags, NULL, &failure);
    if (!c->binary)
        stop(c->name, lift_str_get(&failure.text));
}

static double run(struct lift_device *dev, struct contender *c,
                  struct lift_buffer *const buf[3])
{
    struct lift_failure failure = {0};
    struct lift_arg args[3];
    double seconds = 0;

    for (int i = 0; i < 3; i++)
        args[i] = (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = buf[i]};
    if (!dev->runtime->launch(
            dev, c->binary,
            &(struct lift_call){c->kernel, (struct lift_launch){0}, args, 3}, &failure) ||
        !dev->runtime->finish(dev, &seconds, &failure))
        stop(c->name, lift_str_get(&failure.text));
    return seconds;
}

static float *result(struct lift_device *dev, struct contender *c,
                     struct lift_buffer *const buf[3])
{
    struct lift_failure failure = {0};
    float *out = malloc(POINTS * sizeof *out);

    run(dev, c, buf);
    if (!out || !dev->runtime->read(dev, buf[2], out, POINTS * sizeof *out, &failure))
        stop(c->name, lift_str_get(&failure.text));
    return out;
}

static void check_equal(struct lift_device *dev, struct contender c[2],
                        struct lift_buffer *const buf[3])
{
    float *a = result(dev, &c[0], buf), *b = result(dev, &c[1], buf);
    double worst = 0;

    for (long i = 0; i < POINTS; i++)
        worst = fmax(worst, fabs((double)a[i] - b[i]));
    printf("largest difference of the two results: %.2g\n", worst);
    if (!(worst < 1e-4))
        stop("the two disagree", "one of them is wrong");
    free(a);
    free(b);
}

static void report(struct contender *c, double roof)
{
    double median = bench_median(c->seconds, ROUNDS); /* sorts */
    double gpts = POINTS / median / 1e9;

    printf("%-12s %7.2f ms (%.2f to %.2f)  %5.2f GPts/s  %5.1f GB/s  %3.0f%% of copy\n",
           c->name, 1e3 * median, 1e3 * c->seconds[0], 1e3 * c->seconds[ROUNDS - 1], gpts,
           12 * gpts, roof > 0 ? 1200 * gpts / roof : 0);
}

static void fill(struct lift_device *dev, struct lift_buffer *buf[3])
{
    struct lift_failure failure = {0};
    float *data = malloc(POINTS * sizeof *data);
    struct lift_rng rng;

    lift_rng_seed(&rng, 1);
    for (int b = 0; b < 3; b++) {
        for (long i = 0; data && i < POINTS; i++)
            data[i] = (float)(2 * lift_rng_unit(&rng) - 1);
        buf[b] = dev->runtime->alloc(dev, POINTS * sizeof *data, &failure);
        if (!data || !buf[b] ||
            !dev->runtime->write(dev, buf[b], data, POINTS * sizeof *data, &failure))
            stop("no memory", lift_str_get(&failure.text));
    }
    free(data);
}

int main(int argc, char **argv)
{
    struct contender c[2] = {{.name = "lift"}, {.name = "by hand"}};
    struct lift_failure failure = {0};
    struct lift_diags diags = {0};
    struct lift_device *dev = lift_device_open("host", &failure);
    struct lift_buffer *buf[3];
    struct lift_source hand;
    const char *flags = argc > 2 ? argv[2] : "-ffast-math";
    double ratio[ROUNDS], roof;

    if (argc < 2 || !dev || !lift_source_load("bench/acoustic_hand.c", &hand, &diags))
        stop("usage", "bench/host DATABASE [FLAGS], in the root of the source");
    build(dev, &c[0], best_source(argv[1]), flags);
    build(dev, &c[1], hand.text, flags);
    fill(dev, buf);
    check_equal(dev, c, buf);
    for (int r = -WARM; r < ROUNDS; r++)
        for (int k = 0; k < 2; k++)
            c[k].seconds[r < 0 ? 0 : r] = run(dev, &c[k], buf);
    for (int r = 0; r < ROUNDS; r++)
        ratio[r] = c[1].seconds[r] / c[0].seconds[r];
    roof = lift_device_copy_bandwidth(dev, &failure);
    report(&c[0], roof);
    report(&c[1], roof);
    printf("ratio %.3f (%.3f to %.3f), copy %.1f GB/s, flags '%s'\n",
           bench_median(ratio, ROUNDS), ratio[0], ratio[ROUNDS - 1], roof, flags);
    return 0;
}

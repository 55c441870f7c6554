/* Writes a large database of made-up trials, through the calls that an exploration uses.
 * Numbers of rows and lengths of texts are as in real ones: about six expressions for
 * each low-level one, terms of 1 to 9 kB, sources of 3 to 13 kB, of which zlib leaves a
 * fifth to an eighth. bench/db.sh then times the commands on it. */
#include "base/bug.h"
#include "base/rng.h"
#include "bench.h"
#include "tuner/db_trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROGRAMS = 20,
    SIZES = 2,
    DEVICES = 5,
    LOWS = 300,     /* low-level expressions of a program */
    STEPS = 5,      /* intermediate ones on the way to each */
    SESSION = 2000, /* trials of a session */
    BATCH = 1000,   /* trials of a transaction */
};

struct filler {
    struct lift_db *db;
    struct lift_rng rng;
    struct lift_hash programs[PROGRAMS], problems[PROGRAMS][SIZES];
    struct lift_hash lows[PROGRAMS][LOWS], devices[DEVICES], env, session;
    struct lift_str text;
    int64_t written;
};

static int below(struct filler *f, int n)
{
    return (int)lift_rng_below(&f->rng, (uint64_t)n);
}

static void must(const struct filler *f, bool done)
{
    if (done)
        return;
    fprintf(stderr, "%s\n", lift_db_error(f->db));
    exit(1);
}

/* A term as the printer would write it: nested calls, a few names and numbers. */
static const char *make_term(struct filler *f, int calls)
{
    static const char *const names[] = {"mapSeq", "mapPar", "slide2", "transpose"};

    lift_str_clear(&f->text);
    for (int i = 0; i < calls; i++)
        lift_str_addf(&f->text, "%*s%s(fun(e => e[%d][1] * 0.25f + weight[%d]), %d)\n",
                      2 * (i % 12), "", names[below(f, 4)], below(f, 3), below(f, 5),
                      below(f, 20) ? 3 : below(f, 64));
    return lift_str_get(&f->text);
}

/* A kernel: loops around loads, and sums of products. */
static const char *make_source(struct filler *f, int lines)
{
    lift_str_clear(&f->text);
    lift_str_add(&f->text, "#include <math.h>\nvoid k(const float *restrict g, float "
                           "*restrict out, int nx, int ny)\n{\n");
    for (int i = 0; i < lines; i++)
        if (i % 9 == 0)
            lift_str_addf(&f->text, "    for (int i%d = 0; i%d < nx / %d; i%d += %d) {\n",
                          i, i, 1 + below(f, 64), i, 1 + below(f, 8));
        else
            lift_str_addf(&f->text,
                          "        const float v%d = g[(i%d + %d) * nx + i%d] * 0.25f + "
                          "v%d;\n",
                          i, i / 9 * 9, below(f, 5), i / 9 * 9, i ? below(f, i) : 0);
    lift_str_add(&f->text, "}\n");
    return lift_str_get(&f->text);
}

static struct lift_hash put_expr(struct filler *f, enum lift_db_level level)
{
    struct lift_db_expr expr = {.level = level, .size = 50 + below(f, 200)};

    expr.text = make_term(f, 20 + below(f, 200));
    expr.id = lift_hash_text(expr.text);
    must(f, lift_db_put_expr(f->db, &expr));
    return expr.id;
}

static struct lift_hash put_way(struct filler *f, struct lift_hash root)
{
    struct lift_hash at = root;

    for (int i = 0; i <= STEPS; i++) {
        struct lift_db_deriv d = {.parent = at, .rule = "mapFusion(2)", .args = ""};
        char position[24];

        at = put_expr(f, i == STEPS ? LIFT_DB_LOW : LIFT_DB_HIGH);
        snprintf(position, sizeof position, "0.1.%d.%d", below(f, 4), below(f, 3));
        d.child = at;
        d.position = position;
        must(f, lift_db_put_deriv(f->db, &d));
    }
    must(f, lift_db_put_macro(f->db, &(struct lift_db_macro){at, root, "tiling(2)", ".",
                                                             STEPS + 1, 0}));
    return at;
}

static void put_program(struct filler *f, int i)
{
    char name[24], sizes[48], text[256];
    struct lift_hash root = put_expr(f, LIFT_DB_HIGH);

    snprintf(name, sizeof name, "program%d", i);
    f->programs[i] = lift_hash_text(name);
    snprintf(
        text, sizeof text,
        "size nx = 1024, ny = 1024\nstencil %s(g: [[f32]nx]ny) -> out = inset2(1, 1, "
        "g, map2(w -> 0.25f * (w[0][1] + w[1][0] + w[1][2] + w[2][1]), "
        "slide2(3, 1, g)))\n",
        name);
    must(f, lift_db_put_program(f->db,
                                &(struct lift_db_program){f->programs[i], name, text}));
    for (int k = 0; k < SIZES; k++) {
        struct lift_db_problem problem = {.program = f->programs[i],
                                          .root = root,
                                          .sizes = sizes,
                                          .params = "{}",
                                          .dtype = "f32",
                                          .points = 1 << (20 + k),
                                          .bytes = 8 << (20 + k)};

        snprintf(sizes, sizeof sizes, "{\"nx\":1024,\"ny\":%d}", 1024 << k);
        must(f, lift_db_put_problem(f->db, &problem, &f->problems[i][k]));
    }
    for (int k = 0; k < LOWS; k++)
        f->lows[i][k] = put_way(f, root);
}

static void put_world(struct filler *f)
{
    for (int i = 0; i < DEVICES; i++) {
        char name[32];
        struct lift_device_info info = {.name = name,
                                        .vendor = "Acme",
                                        .runtime = i ? "opencl" : "host",
                                        .arch = "x",
                                        .compute_units = 1 + i};

        snprintf(name, sizeof name, "Acme Model %d", i);
        f->devices[i] = lift_device_hash(&info);
        must(f, lift_db_put_device(f->db, &info) &&
                    lift_db_put_copy_bandwidth(f->db, f->devices[i], 100 * (i + 1)));
    }
    must(f, lift_db_put_env(f->db,
                            &(struct lift_db_env){.os = "Debian 12",
                                                  .kernel = "6.1",
                                                  .driver = "550.54",
                                                  .unit = "host:0"},
                            &f->env));
    for (int i = 0; i < PROGRAMS; i++)
        put_program(f, i);
}

/* Times distributed as in real spaces: with a tail of slow kernels. */
static double make_seconds(struct filler *f)
{
    return 1e-4 * (1 + 4 * pow(lift_rng_unit(&f->rng), 3)) *
           (1 + 1e-6 * lift_rng_unit(&f->rng));
}

static void put_outcome(struct filler *f, struct lift_hash trial)
{
    static const enum lift_trial_status failures[] = {
        LIFT_TRIAL_COMPILE_ERROR, LIFT_TRIAL_RUN_TIMEOUT, LIFT_TRIAL_CONSTRAINT,
        LIFT_TRIAL_WRONG, LIFT_TRIAL_RESOURCE};
    struct lift_db_check checks[] = {{LIFT_CHECK_SMALL, 1e-7, 1e-5, 0, -1},
                                     {LIFT_CHECK_FULL, 2e-7, 1e-5, 0, -1}};
    struct lift_db_build build = {.compiler = "cc (Debian 12.2.0-14) 12.2.0",
                                  .driver = "550.54",
                                  .flags = "-O3 -march=native",
                                  .resources = {below(f, 128), 0, 4096, 256}};
    struct lift_db_end end = {.status = LIFT_TRIAL_OK,
                              .build = &build,
                              .checks = checks,
                              .check_count = 2,
                              .compile_s = 0.4,
                              .check_s = 0.02,
                              .measure_s = 0.01};
    double samples[5], seconds = make_seconds(f);
    char reason[48];

    for (int i = 0; i < 5; i++)
        samples[i] = seconds * (1 + 0.01 * lift_rng_unit(&f->rng));
    end.samples = samples;
    end.sample_count = seconds < 1.5e-4 ? 5 : 2;
    if (below(f, 8) == 0) {
        end.status = failures[below(f, 5)];
        snprintf(reason, sizeof reason, "the work-group of %d is too large",
                 64 << below(f, 5));
        end.reason = reason;
        end.sample_count = end.check_count = 0;
        if (end.status == LIFT_TRIAL_CONSTRAINT)
            end.build = NULL;
    } else if (end.sample_count == 2)
        end.status = LIFT_TRIAL_SLOW;
    build.source = end.build ? make_source(f, 60 + below(f, 110)) : NULL;
    must(f, lift_db_trial_finish(f->db, trial, &end));
}

/* A trial of a random expression with random numbers, as an exploration would write it.
 */
static void put_trial(struct filler *f, int program, int size, int device)
{
    struct lift_db_trial trial = {.problem = f->problems[program][size],
                                  .device = f->devices[device],
                                  .session = f->session,
                                  .env = f->env};
    struct lift_hash id;
    char tunables[96];

    snprintf(tunables, sizeof tunables,
             "{\"block_x\":%d,\"block_y\":%d,\"fast_math\":%d,\"index_bits\":%d,"
             "\"tile_x\":%d}",
             1 << below(f, 8), 1 << below(f, 5), below(f, 4), 32 << below(f, 2),
             1 + below(f, 64));
    must(f, lift_db_put_candidate(f->db, f->lows[program][below(f, LOWS)], tunables,
                                  &trial.candidate));
    must(f, lift_db_trial_start(f->db, &trial, &id));
    put_outcome(f, id);
    f->written++;
}

static void put_session(struct filler *f, int64_t trials)
{
    struct lift_db_session row = {"lift-explore programs/acoustic.lift --hours 3", 1,
                                  "10800 s", "lift 0.1.0, rules 0123456789abcdef"};
    int program = below(f, PROGRAMS), size = below(f, SIZES), device = below(f, DEVICES);

    must(f, lift_db_session_start(f->db, &row, &f->session));
    for (int64_t i = 0; i < trials; i++) {
        if (i % BATCH == 0)
            must(f, lift_db_begin(f->db));
        put_trial(f, program, size, device);
        if (i % BATCH == BATCH - 1 || i == trials - 1)
            must(f, lift_db_commit(f->db));
    }
    must(f, lift_db_session_end(f->db, f->session, "budget"));
}

int main(int argc, char **argv)
{
    struct filler f = {.db = NULL};
    int64_t trials = argc > 2 ? atoll(argv[2]) : 0;
    double start = bench_now();
    struct lift_error error = {0};

    if (argc != 3 || trials < 1) {
        fputs("usage: bench_db DATABASE TRIALS\n", stderr);
        return 2;
    }
    f.db = lift_db_open(argv[1], LIFT_DB_WRITE, &error);
    if (!f.db) {
        fprintf(stderr, "%s\n", lift_error_text(&error));
        return 1;
    }
    lift_rng_seed(&f.rng, 1);
    must(&f, lift_db_begin(f.db));
    put_world(&f);
    must(&f, lift_db_commit(f.db));
    while (f.written < trials)
        put_session(&f, trials - f.written < SESSION ? trials - f.written : SESSION);
    printf("%lld trials in %.0f s\n", (long long)f.written, bench_now() - start);
    lift_db_close(f.db);
    lift_str_fini(&f.text);
    return 0;
}

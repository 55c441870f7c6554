/* Files that 'lift run' reads: inputs and grid points as .npy, raw elements or text, and
 * checkpoints. A run ends with its results or with a reason. A checkpoint that was
 * changed is rejected, unless its hash is made anew. */
#include "base/bug.h"
#include "base/fail.h"
#include "fuzz_world.h"
#include "run/checkpoints/checkpoint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 2, FIRST_STEPS = 4, MOST_BYTES = 1 << 20 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool __real_sim_make_plan(struct sim *s, int at_once);
bool __wrap_sim_make_plan(struct sim *s, int at_once);
bool __real_grid_map(const char *path, struct grid_pages *out, struct lift_str *why);
void __real_grid_unmap(struct grid_pages *pages);
bool __wrap_grid_map(const char *path, struct grid_pages *out, struct lift_str *why);
bool __wrap_grid_zeros(size_t bytes, struct grid_pages *out, struct lift_str *why);
void __wrap_grid_unmap(struct grid_pages *pages);
bool __real_checkpoint_hash(struct sim *s, const struct lift_str *head,
                            const struct checkpoint_records *records,
                            struct lift_hash *out);
bool __wrap_checkpoint_hash(struct sim *s, const struct lift_str *head,
                            const struct checkpoint_records *records,
                            struct lift_hash *out);

static const char program[] =
    "size nx = 7, ny = 5, n = 3\n"
    "stencil shot(u: [[f32]nx]ny, c: [[i32]2]n, w: [[[f32]2]2]n) -> (v, r) =\n"
    "    (map2(fun(w => 0.5 * w[0][1] + 0.5 * w[1][2]),\n"
    "        slide2(3, 1, pad2(1, 1, clamp, u))), sample(u, (c, w)))\n"
    "time (u) <- (v)\n";
static const char *const names[PROGRAMS] = {"one.lift", "two.lift"};
static const char points[] = "1.25,2.5\n3,4\n0.5,6\n";

/* Of each program, after FIRST_STEPS; and the output 'v' of a run that continues it. */
static struct lift_str checkpoints[PROGRAMS], outputs[PROGRAMS];

/* The last hash that a run computed for a checkpoint. */
static struct lift_hash computed;
static bool is_computed;

bool __wrap_checkpoint_hash(struct sim *s, const struct lift_str *head,
                            const struct checkpoint_records *records,
                            struct lift_hash *out)
{
    is_computed = __real_checkpoint_hash(s, head, records, out);
    computed = *out;
    return is_computed;
}

/* ---- memory: the sanitizer checks the ends of allocations, but not those of mappings */

bool __wrap_grid_zeros(size_t bytes, struct grid_pages *out, struct lift_str *why)
{
    void *data;

    if (bytes > MOST_BYTES || posix_memalign(&data, 64, bytes ? bytes : 1))
        return LIFT_FAIL(why, "no memory for %zu bytes", bytes);
    *out = (struct grid_pages){memset(data, 0, bytes), bytes};
    return true;
}

bool __wrap_grid_map(const char *path, struct grid_pages *out, struct lift_str *why)
{
    struct grid_pages file;

    if (!__real_grid_map(path, &file, why))
        return false;
    if (__wrap_grid_zeros(file.bytes, out, why))
        memcpy(out->data, file.data, file.bytes);
    __real_grid_unmap(&file);
    return out->data != NULL;
}

void __wrap_grid_unmap(struct grid_pages *pages)
{
    free(pages->data);
    *pages = (struct grid_pages){NULL, 0};
}

/* ---- runs */

/* The kernels of each program, for all of its runs. */
static struct {
    struct lift_planner *planner;
    struct lift_plan *plan;
} kept[PROGRAMS];
static int current; /* the program that runs */

bool __wrap_sim_make_plan(struct sim *s, int at_once)
{
    struct lift_plan **plan = &s->parts->own->plan;

    if (!kept[current].plan) {
        bool good = __real_sim_make_plan(s, at_once);

        kept[current].planner = s->planner;
        kept[current].plan = *plan;
        return good;
    }
    *plan = kept[current].plan;
    return !strcmp(s->problem->sizes_json, (*plan)->facts.sizes) ||
           sim_fail(s, SIM_FAILED, "there are no kernels of other sizes");
}

/* Writes the reason into 'why'; true if the run is complete. */
static bool run(int which, const struct sim_options *o, struct lift_str *why)
{
    bool good, done;
    struct sim *s;

    current = which;
    s = sim_prepare(o, &good);
    done = good && sim_run(s) == SIM_DONE;
    lift_str_clear(why);
    lift_str_add(why, lift_error_text(&sim_result(s)->error));
    if (!done && why->len == 0)
        LIFT_BUG("a run failed without a reason");
    if (s->parts && s->parts->own) {
        if (s->parts->own->state.plan)
            plan_release_all(s->parts->own->state.plan);
        s->parts->own->plan = NULL;
    }
    if (s->planner == kept[current].planner)
        s->planner = NULL;
    sim_destroy(s);
    return done;
}

static struct sim_options usual_options(int which)
{
    static const struct sim_word in = {"u", "0.5"};
    static struct sim_word from_points, out;

    from_points = (struct sim_word){"c,w", fuzz_path("points.csv")};
    out = (struct sim_word){"v", fuzz_path("v.raw")};
    return (struct sim_options){.file = fuzz_path(names[which]),
                                .sizes = "nx=7,ny=5,n=3",
                                .devices = "host",
                                .steps = FIRST_STEPS,
                                .in = &in,
                                .in_count = 1,
                                .points = &from_points,
                                .point_count = 1,
                                .out = &out,
                                .out_count = 1};
}

static void read_whole(const char *name, struct lift_str *out)
{
    size_t len;
    char *data = fuzz_read(fuzz_path(name), &len);

    lift_str_clear(out);
    lift_str_addn(out, data, len);
    free(data);
}

static void make_checkpoint(int which)
{
    const struct sim_word records[] = {{"r", fuzz_path("record.npy")},
                                       {"v", fuzz_path("record.raw")}};
    struct sim_options o = usual_options(which);
    struct lift_str text = {0}, why = {0};

    lift_str_add(&text, program);
    lift_str_add(&text, which ? "steps 2\n" : "");
    fuzz_write(fuzz_path(names[which]), text.data, text.len);
    o.records = records;
    o.record_count = 2;
    o.checkpoint = fuzz_path("checkpoint");
    o.checkpoint_every = FIRST_STEPS;
    if (!run(which, &o, &why))
        LIFT_BUG("%s", lift_str_get(&why));
    read_whole("checkpoint", &checkpoints[which]);
    o = usual_options(which);
    o.from = fuzz_path("checkpoint");
    o.steps = 2 * FIRST_STEPS;
    if (!run(which, &o, &why))
        LIFT_BUG("%s", lift_str_get(&why));
    read_whole("v.raw", &outputs[which]);
    lift_str_fini(&text);
    lift_str_fini(&why);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_make_folder();
    fuzz_write(fuzz_path("points.csv"), points, strlen(points));
    setenv("LIFT_CACHE", "off", 1);
    setenv("LIFT_IN_PROCESS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    for (int i = 0; i < PROGRAMS; i++)
        make_checkpoint(i);
    return 0;
}

/* ---- inputs and grid points */

/* Without other sizes the file may say them. */
static void try_file(struct fuzz_input *in, const char *name, bool are_points)
{
    struct sim_options o = usual_options(0);
    const struct sim_word word = {are_points ? "c,w" : "u", fuzz_path(name)};
    struct lift_str why = {0};
    bool general = fuzz_byte(in) & 1;

    fuzz_write(word.value, (const char *)in->data, in->size);
    if (are_points)
        o.points = &word;
    else
        o.in = &word;
    if (general)
        o.sizes = NULL;
    run(0, &o, &why);
    lift_str_fini(&why);
}

/* ---- checkpoints */

static void replace(struct lift_str *file, size_t at, size_t gone, const char *text,
                    size_t len)
{
    struct lift_str changed = {0};

    gone = gone < file->len - at ? gone : file->len - at;
    lift_str_addn(&changed, file->data, at);
    lift_str_addn(&changed, text, len);
    lift_str_addn(&changed, file->data + at + gone, file->len - at - gone);
    lift_str_fini(file);
    *file = changed;
}

/* Finds the beginning of a header line that starts with a word; without such a line, the
 * end of the file. */
static size_t find_line(const struct lift_str *file, const char *word)
{
    const char *at = memmem(file->data, file->len, word, strlen(word));

    return at ? (size_t)(at - file->data) : file->len;
}

/* Other lines of the step and of records. */
static void change_head(struct fuzz_input *in, struct lift_str *file)
{
    static const char *const arrays[] = {"r f32 [3]",       "v f32 [5][7]",
                                         "u f32 [5][7]",    "c i32 [3][2]",
                                         "w f32 [3][2][2]", "x f32 [1]"};
    uint8_t kind = fuzz_byte(in);
    size_t begin = find_line(file, "\nstep "), end = find_line(file, "\nhash ");
    struct lift_str lines = {0};

    if (end < begin)
        return;
    lift_str_addf(&lines, "\nstep %lld",
                  (long long)fuzz_number(in, kind & 1 ? 1 : 8) % 32);
    for (int i = kind >> 1 & 3; i > 0; i--) {
        const char *array = arrays[fuzz_byte(in) % 6];

        lift_str_addf(&lines, "\nrecord %s %lld", array,
                      (long long)fuzz_number(in, kind & 8 ? 1 : 8));
    }
    replace(file, begin, end - begin, lines.data, lines.len);
    lift_str_fini(&lines);
}

static void change_checkpoint(struct fuzz_input *in, struct lift_str *file)
{
    int count = fuzz_byte(in) % 8;

    for (int i = 0; i < count && in->size > 0; i++) {
        size_t at, gone, len;
        const char *text;

        if (fuzz_byte(in) % 4 == 0) {
            change_head(in, file);
            continue;
        }
        at = fuzz_number(in, 2) % (file->len + 1);
        gone = fuzz_byte(in);
        text = fuzz_text(in, &len);
        replace(file, at, gone, text, len);
    }
}

/* Corrects the length of a file that a run rejected, and then its hash, as an attacker
 * does. False if the run rejected something else. */
static bool forge(struct lift_str *file, const struct lift_str *why)
{
    const char *says = strstr(lift_str_get(why), "bytes, not ");
    char hex[LIFT_HASH_HEX];
    size_t wanted, line = find_line(file, "\nhash ");

    if (says && sscanf(says, "bytes, not %zu", &wanted) == 1 && wanted < MOST_BYTES) {
        while (file->len < wanted)
            lift_str_addc(file, '\0');
        replace(file, wanted, file->len - wanted, "", 0);
        return true;
    }
    if (!is_computed || !strstr(lift_str_get(why), "is damaged") || line == file->len)
        return false;
    lift_hash_hex(computed, hex);
    replace(file, line + strlen("\nhash "), LIFT_HASH_HEX - 1, hex, LIFT_HASH_HEX - 1);
    return true;
}

static void check_unchanged(int which, const struct lift_str *file)
{
    struct lift_str out = {0};

    read_whole("v.raw", &out);
    if (out.len != outputs[which].len ||
        memcmp(out.data, outputs[which].data, out.len) != 0)
        LIFT_BUG("a changed checkpoint of %zu bytes was taken", file->len);
    lift_str_fini(&out);
}

static void try_checkpoint(struct fuzz_input *in)
{
    static const char *const recorded[] = {"r", "v", "u", "r"};
    uint8_t kind = fuzz_byte(in), which = kind & 1, wanted = fuzz_byte(in);
    struct sim_options o = usual_options(which);
    struct sim_word records[4];
    struct lift_str file = {0}, why = {0};
    bool good;

    o.from = fuzz_path("changed");
    o.steps = kind & 2 ? 2 * FIRST_STEPS : wanted >> 4 << which;
    o.records = records;
    for (int i = 0; i < 4; i++)
        if (wanted >> i & 1)
            records[o.record_count++] =
                (struct sim_word){recorded[i], fuzz_path(i % 2 ? "b.raw" : "a.npy")};
    lift_str_addn(&file, checkpoints[which].data, checkpoints[which].len);
    change_checkpoint(in, &file);
    for (int i = kind & 4 ? 2 : 0;; i--) {
        is_computed = false;
        fuzz_write(o.from, file.data, file.len);
        good = run(which, &o, &why);
        if (good || i == 0 || !forge(&file, &why))
            break;
    }
    if (good && !(kind & 4) && o.steps == 2 * FIRST_STEPS)
        check_unchanged(which, &file);
    lift_str_fini(&file);
    lift_str_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};

    switch (fuzz_byte(&in) % 8) {
    case 0:
        try_file(&in, "some.csv", true);
        break;
    case 1:
        try_file(&in, "some.npy", true);
        break;
    case 2:
        try_file(&in, "some.npy", false);
        break;
    case 3:
        try_file(&in, "some.raw", false);
        break;
    default:
        try_checkpoint(&in);
    }
    return 0;
}

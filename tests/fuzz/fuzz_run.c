/* Files that 'lift run' reads: points off the grid as text or .npy, and checkpoints. What
 * is wrong with one ends the run with a reason. A checkpoint that was changed is never
 * taken. */
#include "fuzz_world.h"
#include "lift/bug.h"
#include "lift/str.h"
#include "run/simulation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char program[] =
    "size nx = 7, ny = 5, n = 3\n"
    "stencil shot(u: [[f32]nx]ny, c: [[i32]2]n, w: [[[f32]2]2]n) -> (v, r) =\n"
    "    (map2(fun(w => 0.5 * w[0][1] + 0.5 * w[1][2]),\n"
    "        slide2(3, 1, pad2(1, 1, clamp, u))), sample(u, (c, w)))\n"
    "time (u) <- (v)\n";

/* The kernel is always the same: a compiler that keeps it takes a few milliseconds. */
static const char compiler[] =
    "#!/bin/sh\n"
    "out=\n"
    "for word; do\n"
    "    [ -z \"$next\" ] || out=$word\n"
    "    next=\n"
    "    [ \"$word\" != -o ] || next=1\n"
    "done\n"
    "kept=$(dirname \"$0\")/kept-$(echo \"$*\" | sed 's/lift-cc-[A-Za-z0-9]*//g' | cksum "
    "| tr -d ' ')\n"
    "if [ -n \"$out\" ] && [ -f \"$kept\" ]; then\n"
    "    cp \"$kept\" \"$out\"\n"
    "    exit 0\n"
    "fi\n"
    "gcc \"$@\" || exit 1\n"
    "[ -z \"$out\" ] || [ ! -f \"$out\" ] || cp \"$out\" \"$kept\"\n";

static const char points[] = "1.25,2.5\n3,4\n0.5,6\n";

static char *checkpoint; /* of step 2 */
static size_t checkpoint_len;

static bool run(const char *points_file, const char *from, const char *to, bool whole)
{
    const struct sim_word in[] = {{"u", "(j, i) => 0.25 * i + j"}};
    const struct sim_word files[] = {{"c,w", points_file}};
    struct sim_options o = {.file = fuzz_path("shot.lift"),
                            .device = "host",
                            .steps = 2,
                            .in = in,
                            .in_count = 1,
                            .points = files,
                            .point_count = 1,
                            .checkpoint = to,
                            .checkpoint_every = to ? 2 : 0,
                            .from = from};
    bool good;
    struct sim *s = sim_prepare(&o, &good);

    if (good && whole)
        good = sim_run(s) == SIM_DONE;
    if (!good && sim_result(s)->why.len == 0)
        LIFT_BUG("it failed without a reason");
    sim_destroy(s);
    return good;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_make_folder();
    fuzz_write(fuzz_path("shot.lift"), program, strlen(program));
    fuzz_write(fuzz_path("cc"), compiler, strlen(compiler));
    fuzz_write(fuzz_path("points.csv"), points, strlen(points));
    chmod(fuzz_path("cc"), 0700);
    setenv("LIFT_CC", fuzz_path("cc"), 1);
    setenv("LIFT_IN_PROCESS", "1", 1);
    if (!run(fuzz_path("points.csv"), NULL, fuzz_path("base"), true))
        LIFT_BUG("the run that everything begins with failed");
    checkpoint = fuzz_read(fuzz_path("base"), &checkpoint_len);
    setenv("LIFT_CC", "/nonexistent/cc", 1); /* points are read before */
    return 0;
}

static void try_points(const uint8_t *data, size_t size, const char *name)
{
    const char *path = fuzz_path(name);

    fuzz_write(path, (const char *)data, size);
    run(path, NULL, NULL, false);
}

/* Some pieces of the checkpoint, each replaced. */
static void try_checkpoint(struct fuzz_input *in)
{
    struct lift_str file = {0};
    bool same;

    lift_str_addn(&file, checkpoint, checkpoint_len);
    for (int i = 0; i < 8 && in->size > 0; i++) {
        struct lift_str changed = {0};
        size_t at = fuzz_number(in, 2) % (file.len + 1), gone = fuzz_byte(in), len;
        const char *text = fuzz_text(in, &len);

        gone = gone < file.len - at ? gone : file.len - at;
        lift_str_addn(&changed, file.data, at);
        lift_str_addn(&changed, text, len);
        lift_str_addn(&changed, file.data + at + gone, file.len - at - gone);
        lift_str_fini(&file);
        file = changed;
    }
    same = file.len == checkpoint_len && !memcmp(file.data, checkpoint, file.len);
    fuzz_write(fuzz_path("changed"), file.data, file.len);
    setenv("LIFT_CC", fuzz_path("cc"), 1);
    if (run(fuzz_path("points.csv"), fuzz_path("changed"), NULL, false) != same)
        LIFT_BUG(same ? "the checkpoint was rejected" : "a changed checkpoint was taken");
    setenv("LIFT_CC", "/nonexistent/cc", 1);
    lift_str_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};

    switch (fuzz_byte(&in) % 3) {
    case 0:
        try_points(in.data, in.size, "some.csv");
        break;
    case 1:
        try_points(in.data, in.size, "some.npy");
        break;
    default:
        try_checkpoint(&in);
    }
    return 0;
}

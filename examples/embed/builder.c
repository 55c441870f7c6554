/* A program that is built in C instead of written in a .lift file, and run.
 *
 *     ./builder [DEVICE]
 *
 * It is the mean of three neighbours on a line, whose ends are repeated. */
#include <lift/build.h>
#include <lift/devices.h>
#include <lift/plan.h>
#include <lift/program.h>
#include <lift/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

/* map(fun(w => reduce(add, 0, w) / 3), slide(3, 1, pad(1, 1, clamp, x))) */
static lift_expr mean(struct lift_ir *ir, lift_expr x)
{
    struct lift_nats *nats = lift_ir_nats(ir);
    lift_nat one = lift_nat_const(nats, 1), three = lift_nat_const(nats, 3);
    lift_type f32 = lift_type_scalar(ir, LIFT_F32);
    lift_expr w = lift_fresh(ir, "w", lift_type_array(ir, f32, three));
    lift_expr sum = lift_reduce(ir, lift_fun_op(ir, LIFT_ADD, f32),
                                lift_expr_float(ir, LIFT_F32, 0), w);
    lift_expr third = lift_call2(ir, LIFT_DIV, sum, lift_expr_float(ir, LIFT_F32, 3));

    return lift_map(
        ir, lift_fun(ir, third, w),
        lift_slide(ir, three, one, lift_pad(ir, one, one, LIFT_PAD_CLAMP, x)));
}

/* Returns the text as in a .lift file; NULL and a message if the program has no type. The
 * caller frees the text. */
static char *program(struct lift_ir *ir)
{
    lift_type line = lift_type_array(ir, lift_type_scalar(ir, LIFT_F32),
                                     lift_nat_const(lift_ir_nats(ir), N));
    lift_expr x = lift_expr_free(ir, "x", line), y = mean(ir, x);
    struct lift_program p = {.name = "mean", .input_count = 1, .output_count = 1};
    struct lift_str text = {0};

    if (!y) {
        fprintf(stderr, "builder: %s\n", lift_ir_error(ir));
        return NULL;
    }
    p.inputs[0] = (struct lift_program_input){.name = "x", .type = line, .var = x};
    p.outputs[0] = (struct lift_program_output){.name = "y", .type = lift_expr_type(y)};
    p.body = y;
    lift_program_print(&p, &text);
    return lift_str_take(&text);
}

static bool print_device(void *user, const char *name,
                         const struct lift_device_info *info, const char *why)
{
    (void)user;
    printf("%s: %s\n", name, info ? info->name : why);
    return true;
}

static float at(const float *x, int i)
{
    return x[i < 0 ? 0 : i >= N ? N - 1 : i];
}

static bool is_right(const float *x, const float *y)
{
    for (int i = 0; i < N; i++)
        if (fabsf(y[i] - (at(x, i - 1) + at(x, i) + at(x, i + 1)) / 3) > 1e-5f)
            return false;
    return true;
}

static int run(const char *text, const char *device)
{
    struct lift_plan_options options = {.program = text, .device = device};
    struct lift_error error = {0};
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan = lift_plan_create(planner, &options, &error);
    static float x[N], y[N];
    const void *inputs[] = {x};
    void *outputs[] = {y};
    bool good;

    for (int i = 0; i < N; i++)
        x[i] = (float)(i * i % 17);
    good = plan && lift_plan_execute(plan, inputs, outputs, &error);
    if (!good)
        fprintf(stderr, "builder: %s\n", lift_error_text(&error));
    else
        puts((good = is_right(x, y)) ? "PASSED" : "FAILED");
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    lift_error_fini(&error);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct lift_ir *ir = lift_ir_create();
    char *text = program(ir);
    int status = 1;

    printf("lift %s\n", lift_version());
    lift_devices_each(print_device, NULL);
    if (text) {
        fputs(text, stdout);
        status = run(text, argc > 1 ? argv[1] : NULL);
    }
    free(text);
    lift_ir_destroy(ir);
    return status;
}

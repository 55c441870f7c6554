/* Plans on memory of the device and in the caller's queue: results equal those on memory
 * of this process. */
#include "chosen_world.h"
#include "device/opencl/opencl.h"
#include "plan_of.h"
#include "run/plan.h"

enum { NX = 13, NY = 9, COUNT = NX * NY, STEPS = 5 };

static float prev[COUNT], cur[COUNT];

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        prev[i] = (float)(i * 37 % 101) / 101.0f;
        cur[i] = (float)(i * 53 % 103) / 103.0f;
    }
}

/* ---- the caller's OpenCL */

struct caller {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static void create(struct caller *c, cl_command_queue_properties properties)
{
    cl_int code;

    c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    c->queue = clCreateCommandQueue(c->context, c->device, properties, &code);
    assert_int_equal(code, CL_SUCCESS);
}

static void destroy(struct caller *c)
{
    assert_int_equal(clReleaseCommandQueue(c->queue), CL_SUCCESS);
    assert_int_equal(clReleaseContext(c->context), CL_SUCCESS);
}

static void open_or_skip(struct caller *c, cl_command_queue_properties properties)
{
    cl_platform_id platform;
    cl_uint platforms = 0, devices = 0;

    if (clGetPlatformIDs(1, &platform, &platforms) != CL_SUCCESS || platforms == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c->device, &devices) !=
            CL_SUCCESS ||
        devices == 0) {
        print_message("there is no OpenCL device\n");
        skip();
    }
    create(c, properties);
}

/* NULL: of no value in particular. */
static cl_mem buffer_of(const struct caller *c, const float *data, int count)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(c->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0),
                       (size_t)count * sizeof *data, (void *)data, &code);

    assert_int_equal(code, CL_SUCCESS);
    return mem;
}

/* The queue is in order: the plan's commands come first. */
static void expect(const struct caller *c, cl_mem mem, const float *want)
{
    float got[COUNT];

    assert_int_equal(
        clEnqueueReadBuffer(c->queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
        CL_SUCCESS);
    assert_memory_equal(got, want, sizeof got);
}

/* ---- both kinds of memory */

static void check_execute(const struct caller *c, struct lift_plan *plan)
{
    float want[COUNT];
    const void *host_in[] = {prev, cur};
    void *host_out[] = {want};
    cl_mem in[] = {buffer_of(c, prev, COUNT), buffer_of(c, cur, COUNT)};
    cl_mem out = buffer_of(c, NULL, COUNT);

    assert_true(lift_plan_execute(plan, host_in, host_out, &error));
    for (int n = 0; n < 2; n++) {
        if (!lift_plan_execute_on_device(plan, (const void *[]){in[0], in[1]},
                                         (void *[]){out}, &error))
            fail_msg("%s", lift_error_text(&error));
        expect(c, out, want);
        expect(c, in[0], prev);
        expect(c, in[1], cur);
    }
    for (int i = 0; i < 2; i++) { /* an output that replaces an input */
        cl_mem both[] = {buffer_of(c, prev, COUNT), buffer_of(c, cur, COUNT)};

        assert_true(lift_plan_execute_on_device(plan, (const void *[]){both[0], both[1]},
                                                (void *[]){both[i]}, &error));
        expect(c, both[i], want);
        expect(c, both[1 - i], i ? prev : cur);
        clReleaseMemObject(both[0]);
        clReleaseMemObject(both[1]);
    }
    clReleaseMemObject(in[0]);
    clReleaseMemObject(in[1]);
    clReleaseMemObject(out);
}

static void check_advance(const struct caller *c, struct lift_plan *plan)
{
    float a[COUNT], b[COUNT], want[COUNT];
    cl_mem in[] = {buffer_of(c, prev, COUNT), buffer_of(c, cur, COUNT)};
    cl_mem out = buffer_of(c, NULL, COUNT);

    memcpy(a, prev, sizeof a);
    memcpy(b, cur, sizeof b);
    assert_true(
        lift_plan_advance(plan, (void *[]){a, b}, (void *[]){want}, STEPS, &error));
    if (!lift_plan_advance_on_device(plan, (void *[]){in[0], in[1]}, (void *[]){out},
                                     STEPS, &error))
        fail_msg("%s", lift_error_text(&error));
    expect(c, in[0], a);
    expect(c, in[1], b);
    expect(c, out, want);
    clReleaseMemObject(in[0]);
    clReleaseMemObject(in[1]);
    clReleaseMemObject(out);
}

/* By the kernel of a database that has 'first' and 'second'; LIFT_OP_COUNT: a plain one.
 */
static void check_stored(enum lift_op first, enum lift_op second)
{
    struct caller c;
    char db[64];
    struct lift_error failure = {0};
    struct lift_device *device;
    struct lift_planner *planner;
    struct lift_plan *plan;

    open_or_skip(&c, 0);
    device = lift_device_open("opencl:0", &failure);
    assert_non_null(device);
    snprintf(db, sizeof db, "%s", path_of("device.db"));
    put_kernel(db, &(struct wanted){.text = wave,
                                    .ops = {first, second, LIFT_OP_COUNT},
                                    .device = lift_device_info(device)});
    lift_device_close(device);
    planner = lift_planner_create(&(struct lift_planner_options){.database = db}, &error);
    assert_non_null(planner);
    plan =
        plan_of(planner, &(struct lift_plan_options){
                             .program = wave, .device = "opencl:0", .stream = c.queue});
    fill();
    check_execute(&c, plan);
    check_advance(&c, plan);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    destroy(&c);
    unlink(db);
}

static void test_plain(void **state)
{
    (void)state;
    check_stored(LIFT_OP_COUNT, LIFT_OP_COUNT);
}

static void test_in_place(void **state)
{
    (void)state;
    check_stored(LIFT_IN_PLACE, LIFT_OP_COUNT);
}

static void test_halo(void **state)
{
    (void)state;
    check_stored(LIFT_PAD_STORED, LIFT_IN_PLACE);
}

/* Plans with temporal blocking, of which single steps come first. */
static void test_steps(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan;
    struct caller c;

    (void)state;
    open_or_skip(&c, 0);
    plan = plan_of(planner, &(struct lift_plan_options){.program = wave,
                                                        .device = "opencl:0",
                                                        .stream = c.queue,
                                                        .steps = 2});
    fill();
    for (int at = 0; at < 2; at++) { /* outputs are of the two steps of a launch */
        cl_mem in[] = {buffer_of(&c, prev, COUNT), buffer_of(&c, cur, COUNT)};
        float a[COUNT], b[COUNT];

        memcpy(a, prev, sizeof a);
        memcpy(b, cur, sizeof b);
        assert_true(lift_plan_advance(plan, (void *[]){a, b}, NULL, 4 + at, &error));
        assert_true(lift_plan_advance_on_device(plan, (void *[]){in[0], in[1]}, NULL,
                                                4 + at, &error));
        expect(&c, in[0], a);
        expect(&c, in[1], b);
        clReleaseMemObject(in[0]);
        clReleaseMemObject(in[1]);
    }
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    destroy(&c);
}

/* ---- the host */

static void test_host(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = wave});
    float want[COUNT], got[COUNT], a[COUNT], b[COUNT];

    (void)state;
    fill();
    assert_true(
        lift_plan_execute(plan, (const void *[]){prev, cur}, (void *[]){want}, &error));
    assert_true(lift_plan_execute_on_device(plan, (const void *[]){prev, cur},
                                            (void *[]){got}, &error));
    assert_memory_equal(got, want, sizeof got);
    memcpy(a, prev, sizeof a);
    memcpy(b, cur, sizeof b);
    assert_true(
        lift_plan_advance_on_device(plan, (void *[]){a, b}, (void *[]){got}, 1, &error));
    assert_memory_equal(b, want, sizeof b);
    assert_memory_equal(a, cur, sizeof a);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* ---- mistakes */

static void refuse(const struct lift_plan_options *options, enum lift_error_code fault,
                   const char *text)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);

    assert_null(lift_plan_create(planner, options, &error));
    assert_int_equal(error.code, fault);
    if (!strstr(lift_error_text(&error), text))
        fail_msg("no '%s' in: %s", text, lift_error_text(&error));
    lift_planner_destroy(planner);
}

static void refuse_memory(struct lift_plan *plan, void *in, void *out, const char *text)
{
    assert_false(lift_plan_execute_on_device(plan, (const void *[]){in, in},
                                             (void *[]){out}, &error));
    if (!strstr(lift_error_text(&error), text))
        fail_msg("no '%s' in: %s", text, lift_error_text(&error));
}

static void check_memory(struct lift_plan *plan, const struct caller *c)
{
    struct caller other = *c;
    cl_mem good = buffer_of(c, cur, COUNT), small = buffer_of(c, NULL, COUNT - 1),
           foreign;

    create(&other, 0);
    foreign = buffer_of(&other, NULL, COUNT);
    refuse_memory(plan, good, small, "a buffer has 464 bytes: 468 are expected");
    refuse_memory(plan, foreign, good, "another context");
    refuse_memory(plan, good, NULL, "output 'next' is NULL");
    assert_false(
        lift_plan_advance_on_device(plan, (void *[]){good, good}, NULL, 1, &error));
    assert_non_null(strstr(lift_error_text(&error), "overlap"));
    clReleaseMemObject(good);
    clReleaseMemObject(small);
    clReleaseMemObject(foreign);
    destroy(&other);
}

static void test_mistakes(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan_options o = {.program = wave, .stream = &error};
    struct lift_plan *plan;
    struct caller c;

    (void)state;
    refuse(&o, LIFT_ERROR_ARGUMENT, "device 'host' has no streams");
    open_or_skip(&c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    o = (struct lift_plan_options){
        .program = wave, .device = "opencl:0", .stream = c.queue};
    refuse(&o, LIFT_ERROR_ARGUMENT, "out of order");
    destroy(&c);
    create(&c, 0);
    o.stream = NULL;
    plan = plan_of(planner, &o);
    refuse_memory(plan, &c, &c, "create the plan with 'stream'");
    lift_plan_destroy(plan);
    o.stream = c.queue;
    plan = plan_of(planner, &o);
    check_memory(plan, &c);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    destroy(&c);
}

/* ---- failures */

/* After a kernel failed, drivers report this failure in later calls of any kind. */
static void test_failures_of_earlier_calls(void **state)
{
    static const struct {
        cl_int code;
        enum lift_error_code kind, expected;
    } cases[] = {
        {CL_INVALID_COMMAND_QUEUE, LIFT_ERROR_LAUNCH, LIFT_ERROR_RUN},
        {CL_INVALID_CONTEXT, LIFT_ERROR_COMPILE, LIFT_ERROR_RUN},
        {-9999, LIFT_ERROR_LAUNCH, LIFT_ERROR_RUN},
        {CL_INVALID_CONTEXT, LIFT_ERROR_DEVICE, LIFT_ERROR_DEVICE},
        {CL_DEVICE_NOT_AVAILABLE, LIFT_ERROR_COMPILE, LIFT_ERROR_DEVICE},
        {CL_INVALID_KERNEL_ARGS, LIFT_ERROR_LAUNCH, LIFT_ERROR_LAUNCH},
        {CL_OUT_OF_RESOURCES, LIFT_ERROR_LAUNCH, LIFT_ERROR_RESOURCE},
        {CL_OUT_OF_RESOURCES, LIFT_ERROR_RUN, LIFT_ERROR_RUN},
        {CL_BUILD_PROGRAM_FAILURE, LIFT_ERROR_COMPILE, LIFT_ERROR_COMPILE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        LIFT_SCOPED(lift_error) failure = {0};

        assert_false(opencl_check(&failure, cases[i].kind, "call", cases[i].code));
        assert_int_equal(failure.code, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_halo),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_failures_of_earlier_calls),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}

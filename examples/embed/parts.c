/* Heat on a grid that the processes of an MPI job share.
 *
 *     mpicc parts.c -o parts $(pkg-config --cflags --libs lift)
 *     mpirun -n 2 ./parts heat.lift [DEVICE]
 *
 * Each process has its planes of the grid only, and one device: "host", or the one that
 * is named. At the end the first process compares the sum of all points with what a
 * single plan of the whole grid gives. */
#include <lift/plan.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, PLANES = 61, PLANE = N * N, STEPS = 50, EVERY = 2 };

static const char sizes[] = "nx=48,ny=48,nz=61";

static void stop(struct lift_error *error)
{
    fprintf(stderr, "%s\n", lift_error_text(error));
    MPI_Abort(MPI_COMM_WORLD, 1); /* others may be waiting for this process */
}

/* The operations that lift needs of MPI: 'user' is the communicator. */
static bool exchange(void *user, const struct lift_message *messages, int count,
                     struct lift_error *error)
{
    MPI_Comm *world = user;
    MPI_Request *requests = malloc((size_t)count * sizeof(MPI_Request));
    bool good = count == 0 || requests;

    for (int i = 0; good && i < count; i++) {
        const struct lift_message *m = &messages[i];

        if (m->bytes > INT_MAX) {
            lift_fail(error, LIFT_ERROR_RUN, "%zu bytes are too many", m->bytes);
            stop(error);
        }
        if (m->send)
            MPI_Isend(m->data, (int)m->bytes, MPI_BYTE, m->peer, m->tag, *world,
                      &requests[i]);
        else
            MPI_Irecv(m->data, (int)m->bytes, MPI_BYTE, m->peer, m->tag, *world,
                      &requests[i]);
    }
    if (good)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return good;
}

static float start(int64_t z, int64_t i)
{
    return (float)((z * PLANE + i) * 31 % 257) / 257;
}

static double sum(const float *grid, int64_t count)
{
    double all = 0;

    for (int64_t i = 0; i < count; i++)
        all += grid[i];
    return all;
}

/* The same by one process. */
static double whole(struct lift_planner *planner, const char *file, const char *device)
{
    struct lift_plan_options options = {.file = file, .sizes = sizes, .device = device};
    struct lift_error error = {0};
    struct lift_plan *plan = lift_plan_create(planner, &options, &error);
    float *grid = malloc(sizeof(float) * PLANES * PLANE);
    double all;

    for (int64_t z = 0; z < PLANES; z++)
        for (int64_t i = 0; i < PLANE; i++)
            grid[z * PLANE + i] = start(z, i);
    if (!plan || !lift_plan_advance(plan, (void *[]){grid}, NULL, STEPS, &error))
        stop(&error);
    all = sum(grid, PLANES * PLANE);
    lift_plan_destroy(plan);
    free(grid);
    return all;
}

static double shared(struct lift_planner *planner, const char *file, const char *device,
                     MPI_Comm *world)
{
    struct lift_communicator processes = {.user = world, .exchange = exchange};
    struct lift_parts_options options = {.file = file,
                                         .sizes = sizes,
                                         .devices = device,
                                         .exchange_every = EVERY,
                                         .communicator = &processes};
    struct lift_error error = {0};
    struct lift_parts *parts;
    int64_t first, count;
    float *grid;
    double mine, all = 0;

    MPI_Comm_rank(*world, &processes.rank);
    MPI_Comm_size(*world, &processes.size);
    parts = lift_parts_create(planner, &options, &error);
    if (!parts)
        stop(&error);
    lift_parts_planes(parts, &first, &count);
    grid = malloc(sizeof(float) * (size_t)count * PLANE);
    for (int64_t z = 0; z < count; z++)
        for (int64_t i = 0; i < PLANE; i++)
            grid[z * PLANE + i] = start(first + z, i);
    if (!lift_parts_load(parts, (const void *[]){grid}, &error) ||
        !lift_parts_advance(parts, STEPS, &error) ||
        !lift_parts_fetch(parts, (void *[]){grid}, NULL, &error))
        stop(&error);
    if (processes.rank == 0)
        printf("%s\n", lift_parts_words(parts));
    mine = sum(grid, count * PLANE);
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, *world);
    lift_parts_destroy(parts);
    free(grid);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    struct lift_planner *planner;
    double all, wanted;
    int rank, got;

    if (argc < 2) {
        fprintf(stderr, "usage: mpirun -n N %s heat.lift [DEVICE]\n", argv[0]);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
    MPI_Comm_rank(world, &rank);
    planner = lift_planner_create(NULL, NULL);
    all = shared(planner, argv[1], argc > 2 ? argv[2] : NULL, &world);
    if (rank == 0) {
        wanted = whole(planner, argv[1], argc > 2 ? argv[2] : NULL);
        printf("%.9g, one process %.9g: %s\n", all, wanted,
               all - wanted < 1e-6 * wanted && wanted - all < 1e-6 * wanted ? "PASSED"
                                                                            : "FAILED");
    }
    lift_planner_destroy(planner);
    MPI_Finalize();
    return 0;
}

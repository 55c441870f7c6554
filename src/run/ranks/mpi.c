#include "run/ranks/mpi.h"
#include "base/fail.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192, STATUS_BYTES = 64, THREAD_FUNNELED = 1 };

/* The MPI functions with handles, for either kind of handle. */
#define FUNCTIONS(HANDLE)                                                                \
    struct {                                                                             \
        int (*isend)(const void *, int, HANDLE, int, int, HANDLE, HANDLE *);             \
        int (*irecv)(void *, int, HANDLE, int, int, HANDLE, HANDLE *);                   \
        int (*test)(HANDLE *, int *, void *);                                            \
        int (*size)(HANDLE, int *);                                                      \
        int (*rank)(HANDLE, int *);                                                      \
        int (*set_errors)(HANDLE, HANDLE);                                               \
        int (*abort)(HANDLE, int);                                                       \
    }

struct mpi {
    void *library;
    bool numbers; /* handles are numbers */
    union mpi_handle world, byte, errors_return;
    union {
        FUNCTIONS(int) number;
        FUNCTIONS(void *) pointer;
        void *entry[7];
    } f;
    int (*init)(int *, char ***, int, int *);
    int (*finalize)(void);
    int (*version)(char *, int *);
    int (*error_string)(int, char *, int *);
    int (*query_cuda)(void); /* NULL: the library is not CUDA-aware */
    int rank, size;
    char name[128];
};

/* In the order of the functions above. */
static const char *const entries[] = {"MPI_Isend",     "MPI_Irecv",
                                      "MPI_Test",      "MPI_Comm_size",
                                      "MPI_Comm_rank", "MPI_Comm_set_errhandler",
                                      "MPI_Abort"};

/* ---- the library */

static bool open_library(struct mpi *m, struct lift_str *why)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12",
                                        "libmpi.so"};
    /* True if the launcher is of MPICH's family. */
    bool mpich = getenv("PMI_SIZE") && !getenv("OMPI_COMM_WORLD_SIZE");
    const char *wanted = getenv("LIFT_MPI");
    size_t count = sizeof names / sizeof *names;

    if (wanted && *wanted) {
        m->library = dlopen(wanted, RTLD_NOW | RTLD_GLOBAL);
        if (!m->library)
            lift_str_addf(why, "LIFT_MPI: %s", dlerror());
        return m->library != NULL;
    }
    for (size_t i = 0; i < count && !m->library; i++)
        m->library = dlopen(names[(i + mpich) % count], RTLD_NOW | RTLD_GLOBAL);
    if (!m->library)
        lift_str_add(why, "there is no MPI library here (libmpi.so.40 of Open MPI, or "
                          "libmpich.so.12); LIFT_MPI names one");
    return m->library != NULL;
}

/* Copies the pointer through memory: ISO C has no conversion from object pointers to
 * function pointers. */
static bool find(const struct mpi *m, const char *name, void *function,
                 struct lift_str *why)
{
    void *symbol = dlsym(m->library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol || LIFT_FAIL(why, "the MPI library has no '%s'", name);
}

static bool find_all(struct mpi *m, struct lift_str *why)
{
    void *symbol;

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!find(m, entries[i], &m->f.entry[i], why))
            return false;
    symbol = dlsym(m->library, "MPIX_Query_cuda_support");
    memcpy(&m->query_cuda, &symbol, sizeof symbol);
    return find(m, "MPI_Init_thread", &m->init, why) &&
           find(m, "MPI_Finalize", &m->finalize, why) &&
           find(m, "MPI_Get_library_version", &m->version, why) &&
           find(m, "MPI_Error_string", &m->error_string, why);
}

/* Reads the first line of the library's version text, up to a comma. */
static void read_name(struct mpi *m)
{
    char *text = lift_alloc(TEXT_BYTES, 1);
    int length = 0;

    m->version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    strncpy(m->name, text, sizeof m->name - 1);
    free(text);
}

static bool is_of_mpich(const struct mpi *m)
{
    return strstr(m->name, "MPICH") || strstr(m->name, "Intel(R) MPI") ||
           strstr(m->name, "MVAPICH") || strstr(m->name, "CRAY MPICH");
}

/* The two binary interfaces: constants of MPICH's mpi.h are numbers, those of Open MPI
 * are the addresses of objects in the library. */
static bool find_constants(struct mpi *m, struct lift_str *why)
{
    m->world.pointer = dlsym(m->library, "ompi_mpi_comm_world");
    m->byte.pointer = dlsym(m->library, "ompi_mpi_byte");
    m->errors_return.pointer = dlsym(m->library, "ompi_mpi_errors_return");
    if (m->world.pointer && m->byte.pointer && m->errors_return.pointer)
        return true;
    if (!is_of_mpich(m))
        return LIFT_FAIL(
            why,
            "'%s' is neither Open MPI nor of the family of MPICH: its binary "
            "interface is not known",
            m->name);
    m->numbers = true;
    m->world.number = 0x44000000;
    m->byte.number = 0x4c00010d;
    m->errors_return.number = 0x54000001;
    return true;
}

/* ---- calls */

static bool check(const struct mpi *m, int code, struct lift_str *why)
{
    char *text;
    int length = 0;

    if (code == 0)
        return true;
    text = lift_alloc(TEXT_BYTES, 1);
    m->error_string(code, text, &length);
    lift_str_addf(why, "MPI: %s", *text ? text : "an error without a text");
    free(text);
    return false;
}

static bool begin(struct mpi *m, struct lift_str *why)
{
    int got = 0, errors;

    if (!check(m, m->init(NULL, NULL, THREAD_FUNNELED, &got), why))
        return false;
    errors = m->numbers
                 ? m->f.number.set_errors(m->world.number, m->errors_return.number)
                 : m->f.pointer.set_errors(m->world.pointer, m->errors_return.pointer);
    if (!check(m, errors, why))
        return false;
    if (m->numbers) {
        m->f.number.rank(m->world.number, &m->rank);
        m->f.number.size(m->world.number, &m->size);
    } else {
        m->f.pointer.rank(m->world.pointer, &m->rank);
        m->f.pointer.size(m->world.pointer, &m->size);
    }
    return true;
}

struct mpi *mpi_start(struct lift_str *why)
{
    struct mpi *m = lift_alloc(1, sizeof *m);

    if (open_library(m, why) && find_all(m, why)) {
        read_name(m);
        if (find_constants(m, why) && begin(m, why))
            return m;
    }
    free(m); /* the library may have threads: it stays loaded */
    return NULL;
}

void mpi_end(struct mpi *m)
{
    m->finalize();
    free(m);
}

/* Returns true if a nonzero exit status ends all ranks, as with mpirun of Open MPI. Then
 * MPI_Abort is not used: mpirun 4.1.4 may garble its message and crash, mostly if several
 * ranks call MPI_Abort simultaneously. */
static bool ends_by_status(const struct mpi *m)
{
    return !m->numbers && getenv("OMPI_COMM_WORLD_SIZE");
}

void mpi_abort(struct mpi *m, int status)
{
    fflush(stdout);
    if (m->numbers)
        m->f.number.abort(m->world.number, status);
    else if (!ends_by_status(m))
        m->f.pointer.abort(m->world.pointer, status);
    _Exit(status);
}

int mpi_rank(const struct mpi *m)
{
    return m->rank;
}

int mpi_size(const struct mpi *m)
{
    return m->size;
}

const char *mpi_name(const struct mpi *m)
{
    return m->name;
}

bool mpi_takes_device_memory(const struct mpi *m)
{
    return m->query_cuda && m->query_cuda() == 1;
}

static int move(struct mpi *m, const struct lift_message *x, union mpi_handle *r)
{
    int n = (int)x->bytes;

    if (m->numbers && x->send)
        return m->f.number.isend(x->data, n, m->byte.number, x->peer, x->tag,
                                 m->world.number, &r->number);
    if (m->numbers)
        return m->f.number.irecv(x->data, n, m->byte.number, x->peer, x->tag,
                                 m->world.number, &r->number);
    if (x->send)
        return m->f.pointer.isend(x->data, n, m->byte.pointer, x->peer, x->tag,
                                  m->world.pointer, &r->pointer);
    return m->f.pointer.irecv(x->data, n, m->byte.pointer, x->peer, x->tag,
                              m->world.pointer, &r->pointer);
}

bool mpi_move(struct mpi *m, const struct lift_message *message, union mpi_handle *r,
              struct lift_str *why)
{
    return check(m, move(m, message, r), why);
}

bool mpi_test(struct mpi *m, union mpi_handle *r, bool *done, struct lift_str *why)
{
    alignas(16) char status[STATUS_BYTES];
    int flag = 0;
    bool good = check(m,
                      m->numbers ? m->f.number.test(&r->number, &flag, status)
                                 : m->f.pointer.test(&r->pointer, &flag, status),
                      why);

    *done = flag != 0;
    return good;
}

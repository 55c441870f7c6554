/* A stand-in for NCCL in host memory, between threads and processes: messages are files
 * of a folder that the group's id names. A call on which the real library would hang or
 * mix up messages is an error here. Like the real library it starts threads: one when a
 * group gets its name, and one for each member.
 *
 * FAKE_NCCL=join: no rank joins. FAKE_NCCL=lose: the first rank sends twenty messages,
 * and no more. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
enum { UINT8 = 1, MOST_RANKS = 16, MOST_OPS = 256 };

struct id {
    char bytes[128];
};

struct comm {
    char folder[128];
    int rank, size, sends;
    pthread_t thread;
    atomic_bool ends;
    long sent[MOST_RANKS], received[MOST_RANKS];
};

struct op {
    struct comm *comm;
    void *data;
    size_t bytes;
    int peer;
    bool send;
};

static _Thread_local struct op ops[MOST_OPS];
static _Thread_local int op_count, depth;

int lift_nccl_takes_host(void);
int ncclGetVersion(int *version);
const char *ncclGetErrorString(int code);
int ncclGetUniqueId(struct id *id);
int ncclCommInitRank(struct comm **comm, int size, struct id id, int rank);
int ncclCommDestroy(struct comm *comm);
int ncclCommAbort(struct comm *comm);
int ncclSend(const void *data, size_t count, int type, int peer, struct comm *comm,
             void *stream);
int ncclRecv(void *data, size_t count, int type, int peer, struct comm *comm,
             void *stream);
int ncclGroupStart(void);
int ncclGroupEnd(void);

int lift_nccl_takes_host(void)
{
    return 1;
}

int ncclGetVersion(int *version)
{
    *version = 21903;
    return SUCCESS;
}

const char *ncclGetErrorString(int code)
{
    return code == INVALID_ARGUMENT ? "invalid argument"
           : code == INVALID_USAGE  ? "invalid usage"
                                    : "system error";
}

static bool is_asked(const char *what)
{
    const char *asked = getenv("FAKE_NCCL");

    return asked && !strcmp(asked, what);
}

static void *stay(void *ends)
{
    static const struct timespec nap = {0, 1000000};

    while (!ends || !atomic_load((atomic_bool *)ends))
        nanosleep(&nap, NULL);
    return NULL;
}

int ncclGetUniqueId(struct id *id)
{
    pthread_t thread;

    snprintf(id->bytes, sizeof id->bytes, "fake_nccl.XXXXXX");
    return mkdtemp(id->bytes) && pthread_create(&thread, NULL, stay, NULL) == 0 &&
                   pthread_detach(thread) == 0
               ? SUCCESS
               : SYSTEM_ERROR;
}

int ncclCommInitRank(struct comm **comm, int size, struct id id, int rank)
{
    if (is_asked("join") || rank < 0 || rank >= size || size > MOST_RANKS)
        return INVALID_ARGUMENT;
    *comm = calloc(1, sizeof **comm);
    (*comm)->rank = rank;
    (*comm)->size = size;
    memcpy((*comm)->folder, id.bytes, sizeof id.bytes);
    return pthread_create(&(*comm)->thread, NULL, stay, &(*comm)->ends) == 0
               ? SUCCESS
               : SYSTEM_ERROR;
}

static void end(struct comm *comm)
{
    atomic_store(&comm->ends, true);
    pthread_join(comm->thread, NULL);
    free(comm);
}

/* All messages were received. */
int ncclCommDestroy(struct comm *comm)
{
    rmdir(comm->folder); /* by the last one */
    end(comm);
    return SUCCESS;
}

int ncclCommAbort(struct comm *comm)
{
    end(comm);
    return SUCCESS;
}

static int add(struct op op, int type, const void *stream)
{
    if (depth == 0 || type != UINT8 || stream || op_count == MOST_OPS || op.peer < 0 ||
        op.peer >= op.comm->size || op.bytes == 0)
        return INVALID_ARGUMENT;
    ops[op_count++] = op;
    return SUCCESS;
}

int ncclSend(const void *data, size_t count, int type, int peer, struct comm *comm,
             void *stream)
{
    return add((struct op){comm, (void *)data, count, peer, true}, type, stream);
}

int ncclRecv(void *data, size_t count, int type, int peer, struct comm *comm,
             void *stream)
{
    return add((struct op){comm, data, count, peer, false}, type, stream);
}

int ncclGroupStart(void)
{
    depth++;
    return SUCCESS;
}

static int send_one(const struct op *op)
{
    struct comm *c = op->comm;
    char name[256], part[264];
    FILE *file;
    bool good;

    if (is_asked("lose") && c->rank == 0 && c->sends++ >= 20)
        return SUCCESS;
    snprintf(name, sizeof name, "%s/%d-%d-%ld", c->folder, c->rank, op->peer,
             c->sent[op->peer]++);
    snprintf(part, sizeof part, "%s.part", name);
    file = fopen(part, "wb");
    if (!file)
        return SYSTEM_ERROR;
    good = fwrite(op->data, 1, op->bytes, file) == op->bytes;
    good = fclose(file) == 0 && good;
    return good && rename(part, name) == 0 ? SUCCESS : SYSTEM_ERROR;
}

static int receive_one(const struct op *op)
{
    static const struct timespec nap = {0, 200000};
    struct comm *c = op->comm;
    struct stat st;
    char name[256];
    FILE *file;
    bool good;

    snprintf(name, sizeof name, "%s/%d-%d-%ld", c->folder, op->peer, c->rank,
             c->received[op->peer]++);
    while (stat(name, &st) != 0)
        nanosleep(&nap, NULL);
    if ((size_t)st.st_size != op->bytes)
        return INVALID_USAGE;
    file = fopen(name, "rb");
    good = file && fread(op->data, 1, op->bytes, file) == op->bytes;
    if (file)
        fclose(file);
    return good && unlink(name) == 0 ? SUCCESS : SYSTEM_ERROR;
}

int ncclGroupEnd(void)
{
    int code = SUCCESS;

    if (--depth > 0)
        return SUCCESS;
    for (int i = 0; code == SUCCESS && i < op_count; i++)
        code = ops[i].send ? send_one(&ops[i]) : SUCCESS;
    for (int i = 0; code == SUCCESS && i < op_count; i++)
        code = ops[i].send ? SUCCESS : receive_one(&ops[i]);
    op_count = 0;
    return code;
}

#include "run/devices/nccl.h"
#include "base/fail.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, UINT8 = 1 }; /* of nccl.h */

struct nccl {
    void *library;
    char name[32];
    bool takes_host;
    int (*version)(int *);
    int (*make_id)(struct nccl_id *);
    int (*join)(void **, int, struct nccl_id, int);
    int (*destroy)(void *);
    int (*abort)(void *);
    int (*send)(const void *, size_t, int, int, void *, void *);
    int (*receive)(void *, size_t, int, int, void *, void *);
    int (*group_start)(void);
    int (*group_end)(void);
    const char *(*error)(int);
    const char *(*last)(void *); /* since 2.13; NULL: the library is older */
};

/* ---- the library */

/* Copies the pointer through memory: ISO C has no conversion from object pointers to
 * function pointers. */
static bool find(const struct nccl *n, const char *name, void *function)
{
    void *symbol = dlsym(n->library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(struct nccl *n, struct lift_str *why)
{
    const struct {
        const char *name;
        void *function;
    } symbols[] = {{"ncclGetVersion", &n->version}, {"ncclGetUniqueId", &n->make_id},
                   {"ncclCommInitRank", &n->join},  {"ncclCommDestroy", &n->destroy},
                   {"ncclCommAbort", &n->abort},    {"ncclSend", &n->send},
                   {"ncclRecv", &n->receive},       {"ncclGroupStart", &n->group_start},
                   {"ncclGroupEnd", &n->group_end}, {"ncclGetErrorString", &n->error}};

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!find(n, symbols[i].name, symbols[i].function))
            return LIFT_FAIL(why, "the NCCL library has no '%s': 2.7 or later is needed",
                             symbols[i].name);
    find(n, "ncclGetLastError", &n->last);
    n->takes_host = dlsym(n->library, "lift_nccl_takes_host") != NULL;
    return true;
}

static bool open_library(struct nccl *n, struct lift_str *why)
{
    static const char *const names[] = {"libnccl.so.2", "libnccl.so"};
    const char *wanted = getenv("LIFT_NCCL");

    if (wanted && *wanted) {
        n->library = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        if (!n->library)
            lift_str_addf(why, "LIFT_NCCL: %s", dlerror());
        return n->library != NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !n->library; i++)
        n->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!n->library)
        lift_str_add(why, "there is no NCCL here (libnccl.so.2); LIFT_NCCL names it");
    return n->library != NULL;
}

/* Version 2.19.3 is 21903; before 2.9, version 2.8.3 was 2803. */
static void set_name(struct nccl *n)
{
    int v = 0, thousand;

    n->version(&v);
    thousand = v < 10000 ? 1000 : 10000;
    snprintf(n->name, sizeof n->name, "NCCL %d.%d.%d", v / thousand, v % thousand / 100,
             v % 100);
}

struct nccl *nccl_load(struct lift_str *why)
{
    struct nccl *n = lift_alloc(1, sizeof *n);

    if (open_library(n, why) && find_all(n, why)) {
        set_name(n);
        return n;
    }
    free(n);
    return NULL;
}

void nccl_free(struct nccl *n)
{
    free(n);
}

const char *nccl_name(const struct nccl *n)
{
    return n->name;
}

bool nccl_takes_host(const struct nccl *n)
{
    return n->takes_host;
}

/* ---- calls */

static bool check(const struct nccl *n, int code, struct lift_str *why)
{
    const char *more;

    if (code == SUCCESS)
        return true;
    more = n->last ? n->last(NULL) : NULL;
    return LIFT_FAIL(why, "%s: %s%s%s", n->name, n->error(code),
                     more && *more ? ": " : "", more ? more : "");
}

bool nccl_make_id(const struct nccl *n, struct nccl_id *id, struct lift_str *why)
{
    return check(n, n->make_id(id), why);
}

void *nccl_join(const struct nccl *n, const struct nccl_id *id, int rank, int size,
                struct lift_str *why)
{
    void *communicator = NULL;

    return check(n, n->join(&communicator, size, *id, rank), why) ? communicator : NULL;
}

bool nccl_swap(const struct nccl *n, void *communicator, void *stream,
               const struct lift_message *messages, int count, struct lift_str *why)
{
    int code = n->group_start(), end;

    if (code != SUCCESS)
        return check(n, code, why);
    for (int i = 0; code == SUCCESS && i < count; i++) {
        const struct lift_message *m = &messages[i];

        if (m->bytes == 0)
            continue;
        code = m->send
                   ? n->send(m->data, m->bytes, UINT8, m->peer, communicator, stream)
                   : n->receive(m->data, m->bytes, UINT8, m->peer, communicator, stream);
    }
    end = n->group_end();
    return check(n, code != SUCCESS ? code : end, why);
}

void nccl_leave(const struct nccl *n, void *communicator, bool failed)
{
    if (failed)
        n->abort(communicator);
    else
        n->destroy(communicator);
}

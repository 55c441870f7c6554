/* MPI, an optional library loaded by dlopen; builds do not need MPI. Supports Open MPI
 * and libraries with the binary interface of MPICH. */
#ifndef RUN_MPI_H
#define RUN_MPI_H

#include "base/str.h"
#include "lift/plan.h"
#include <stdbool.h>
#include <stddef.h>

struct mpi;

/* Open MPI's handles are pointers; MPICH's handles are numbers. */
union mpi_handle {
    void *pointer;
    int number;
};

/* Loads and starts MPI for calls from this thread; LIFT_MPI in the environment may name
 * the library. Returns NULL with the reason. */
struct mpi *mpi_start(struct lift_str *why);
/* Waits for all ranks. */
void mpi_end(struct mpi *mpi);
/* Ends this rank, and all others if their launcher permits. Releases nothing, since other
 * threads may be running. */
void mpi_abort(struct mpi *mpi, int status) __attribute__((noreturn));

int mpi_rank(const struct mpi *mpi);
int mpi_size(const struct mpi *mpi);
/* "Open MPI v4.1.4" */
const char *mpi_name(const struct mpi *mpi);

/* Returns true if messages may be in memory of CUDA GPUs. */
bool mpi_takes_device_memory(const struct mpi *mpi);

/* mpi_move begins a message of at most INT_MAX bytes; mpi_test tells if the message is
 * done. Both return false with the reason. */
bool mpi_move(struct mpi *mpi, const struct lift_message *message,
              union mpi_handle *request, struct lift_str *why);
bool mpi_test(struct mpi *mpi, union mpi_handle *request, bool *done,
              struct lift_str *why);

#endif

/* MPI, if the machine has one: found by dlopen, never needed to build. Open MPI, and the
 * libraries with the binary interface of MPICH. */
#ifndef RUN_MPI_H
#define RUN_MPI_H

#include "base/str.h"
#include "lift/plan.h"
#include <stdbool.h>
#include <stddef.h>

struct mpi;

/* One of the two is used: Open MPI's handles are pointers, those of MPICH numbers. */
union mpi_handle {
    void *pointer;
    int number;
};

/* Loads and starts it, for calls from this thread; LIFT_MPI in the environment names the
 * library. NULL, and why. */
struct mpi *mpi_start(struct lift_str *why);
/* Waits for all ranks. */
void mpi_end(struct mpi *mpi);
/* Ends this rank, and all others as far as their launcher lets it. Nothing is released:
 * other threads may be at work. */
void mpi_abort(struct mpi *mpi, int status) __attribute__((noreturn));

int mpi_rank(const struct mpi *mpi);
int mpi_size(const struct mpi *mpi);
/* "Open MPI v4.1.4" */
const char *mpi_name(const struct mpi *mpi);

/* Whether messages may be in memory of GPUs of CUDA. */
bool mpi_takes_device_memory(const struct mpi *mpi);

/* These begin, with INT_MAX bytes at most; mpi_test says whether it is done. False, and
 * why. */
bool mpi_move(struct mpi *mpi, const struct lift_message *message,
              union mpi_handle *request, struct lift_str *why);
bool mpi_test(struct mpi *mpi, union mpi_handle *request, bool *done,
              struct lift_str *why);

#endif

/* Programs run on behalf of a device, such as compilers. */
#ifndef DEVICE_PROCESS_H
#define DEVICE_PROCESS_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum device_run_end {
    DEVICE_RUN_EXITED,  /* 'code' is the exit status */
    DEVICE_RUN_KILLED,  /* 'code' is the signal that ended the program */
    DEVICE_RUN_TIMEOUT, /* killed after the time limit, with all its children */
    DEVICE_RUN_FAILED,  /* not started; 'code' is the errno */
};

struct device_run_result {
    enum device_run_end end;
    int code;
};

/* A private folder for one compilation. */
struct device_folder {
    char *path;
    int lock;              /* descriptor; the living owner holds the lock */
    char *source, *module; /* paths of two possible files */
};

/* Creates the folder under $TMPDIR or /tmp. Returns false with errno on failure. */
bool device_folder_create(struct device_folder *folder);
/* Removes folders of dead owners. */
void device_folder_sweep(void);
/* Removes the folder with its content, and frees the paths. */
void device_folder_remove(struct device_folder *folder);

/* From now on SIGTERM removes the folders that this process makes, and ends this process
 * by SIGKILL. Folders from before the fork belong to the parent. */
void device_folders_die_with_us(void);

/* Runs argv[0], found on PATH, with empty stdin. Appends the first MiB of both outputs to
 * 'output'. Limits: 4 GiB of address space, files of 256 MiB, no core files. If 'folder'
 * is not NULL, temporary files go there, and the folder is removed even if this process
 * is killed while the program runs. */
struct device_run_result device_run(char *const argv[],
                                    const struct device_folder *folder, double seconds,
                                    struct lift_str *output);

/* Closes all descriptors from 'first' up. Async-signal-safe, for use after fork. */
void device_close_from(int first);

/* Writes all data to a file or socket. Returns false on failure. */
bool device_write_all(int fd, const void *data, size_t size);

#endif

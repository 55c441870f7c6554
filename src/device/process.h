/* Programs run on behalf of a device, such as compilers. */
#ifndef DEVICE_PROCESS_H
#define DEVICE_PROCESS_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum device_run_end {
    DEVICE_RUN_EXITED,  /* 'code' is the exit status */
    DEVICE_RUN_KILLED,  /* 'code' is the signal that ended it */
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
    int lock;              /* held by its owner as long as that lives */
    char *source, *module; /* paths of the two files that it may hold */
};

/* Creates the folder under $TMPDIR or /tmp; false leaves errno. */
bool device_folder_create(struct device_folder *folder);
/* Removes the folders of owners that ended before they could. */
void device_folder_sweep(void);
/* Removes the folder and all that is in it, and frees the paths. */
void device_folder_remove(struct device_folder *folder);

/* From now on SIGTERM removes the folders that this process makes and ends it by
 * SIGKILL. Those that it has are somebody else's: it was forked with them. */
void device_folders_die_with_us(void);

/* Runs argv[0], looked up on PATH, with stdin empty and the first megabyte of both
 * outputs appended to 'output'; with 4 GiB of address space at most, files of 256 MiB and
 * no core files. When 'folder' is not NULL, temporary files go there, and it is removed
 * even if this process is killed while the program runs. */
struct device_run_result device_run(char *const argv[],
                                    const struct device_folder *folder, double seconds,
                                    struct lift_str *output);

/* Closes all descriptors from 'first' up. Safe after fork. */
void device_close_from(int first);

/* All of it to a file or a socket; false if that takes no more. */
bool device_write_all(int fd, const void *data, size_t size);

#endif

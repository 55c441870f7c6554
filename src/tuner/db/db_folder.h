/* The folder that an export makes and an import reads. */
#ifndef TUNER_DB_DB_FOLDER_H
#define TUNER_DB_DB_FOLDER_H

#include "base/str.h"

/* The file that tells the version of the others: name,value with the row "schema". */
#define DB_FOLDER_ABOUT "lift"

/* "folder/name.csv"; lasts as long as 'path' is not used again. */
static inline const char *db_folder_file(struct lift_str *path, const char *folder,
                                         const char *name)
{
    lift_str_clear(path);
    lift_str_addf(path, "%s/%s.csv", folder, name);
    return lift_str_get(path);
}

#endif

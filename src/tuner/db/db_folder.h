/* The folder of an export or import. */
#ifndef TUNER_DB_DB_FOLDER_H
#define TUNER_DB_DB_FOLDER_H

#include "base/str.h"

/* The file with the folder's version: name,value with the row "schema". */
#define DB_FOLDER_ABOUT "lift"

/* "folder/name.csv"; valid until 'path' changes. */
static inline const char *db_folder_file(struct lift_str *path, const char *folder,
                                         const char *name)
{
    lift_str_clear(path);
    lift_str_addf(path, "%s/%s.csv", folder, name);
    return lift_str_get(path);
}

#endif

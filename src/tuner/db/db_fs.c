/* Detects the file system of a database. */
#include "base/memory.h"
#include "tuner/db/db_internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static long type_of(const char *path)
{
    struct statfs fs;

    return statfs(path, &fs) ? 0 : (long)fs.f_type;
}

long (*db_fs_type)(const char *path) = type_of;

/* The numbers are those of statfs(2) and linux/magic.h. FUSE may be local, where a
 * rollback journal does no harm. */
static const struct {
    unsigned long type;
    const char *name;
} networks[] = {
    {0x6969, "NFS"},          {0xff534d42, "CIFS"},         {0xfe534d42, "SMB"},
    {0x517b, "SMB"},          {0x0bd00bd0, "Lustre"},       {0x47504653, "GPFS"},
    {0x65735546, "FUSE"},     {0x00c36400, "Ceph"},         {0x01021997, "9P"},
    {0x5346414f, "AFS"},      {0x19830326, "BeeGFS"},       {0xaad7aaea, "PanFS"},
    {0x7461636f, "OCFS2"},    {0x01161970, "GFS2"},         {0x73757245, "Coda"},
    {0xbacbacbc, "VMware's"}, {0x786f4256, "VirtualBox's"},
};

/* For a missing file, the folder's file system counts. */
const char *lift_db_network(const char *path)
{
    char *folder = path ? lift_strdup(path) : NULL,
         *slash = folder ? strrchr(folder, '/') : NULL;
    unsigned long type;

    if (!path)
        return NULL;
    if (slash)
        slash[slash == folder] = '\0';
    if (!access(path, F_OK))
        type = (unsigned long)db_fs_type(path);
    else
        type = (unsigned long)db_fs_type(slash ? folder : ".");
    free(folder);
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        if ((type & 0xffffffff) == networks[i].type)
            return networks[i].name;
    return NULL;
}

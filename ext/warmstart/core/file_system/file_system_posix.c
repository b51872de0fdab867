/* What the POSIX systems have in common, whichever way they list folders: opening by descriptor, and access control
 * lists. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/file_system/file_system.h"

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const bool ws_owners_are_sids = false;
const bool ws_listings_tell_metadata = false; /* macOS' listings do, but we have not tested what they return */

bool
ws_folder_listing_is_exact(ws_folder folder)
{
    (void)folder;
    return true;
}

static int
directory_of(ws_folder folder)
{
    return folder == WS_FOLDER_CURRENT ? AT_FDCWD : (int)folder;
}

int
ws_folder_open(ws_folder beside, const char *name, bool follow, ws_folder *folder)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
    int descriptor = openat(directory_of(beside), name, flags);

    *folder = descriptor;
    return descriptor < 0 ? errno : 0;
}

void
ws_folder_close(ws_folder folder)
{
    if (folder >= 0) close((int)folder);
}

int
ws_folder_stat(ws_folder folder, ws_stat *stat)
{
    return ws_file_stat_descriptor((int)folder, stat);
}

int
ws_folder_stat_name(ws_folder folder, const char *name, bool follow, uint32_t fields, ws_stat *stat)
{
    return ws_file_stat_fields(directory_of(folder), name, follow, fields, stat);
}

int
ws_folder_stat_named(ws_folder folder, const char *name, ws_stat *stat)
{
    return ws_file_stat_named_at(directory_of(folder), name, stat);
}

uint32_t
ws_processor_count(void)
{
    static uint32_t known; /* kept, because asking the system opens a file */
    uint32_t count = __atomic_load_n(&known, __ATOMIC_RELAXED);

    if (count > 0) return count;
    long told = sysconf(_SC_NPROCESSORS_ONLN);
    count = told > 0 ? (uint32_t)told : 1;
    __atomic_store_n(&known, count, __ATOMIC_RELAXED);
    return count;
}

/* ---- Access control lists ---- */

#if defined(__linux__)
#include <sys/xattr.h>

/* The extended attribute is little-endian: a version, then entries of 8 bytes. */
enum { ACL_VERSION = 2, ACL_HEADER_SIZE = 4, ACL_ENTRY_SIZE = 8, ACL_SIZE_MAXIMUM = 65536 };

static uint32_t
little(const uint8_t *bytes, size_t size)
{
    uint32_t value = 0;
    while (size-- > 0) value = value << 8 | bytes[size];
    return value;
}

/* Writes the ACL as getfacl does, but on one line: "user::rw-,user:1000:r--,group::r--,mask::r--,other::---". NULL if
 * it has another form, or without memory. */
static char *
acl_text(const uint8_t *bytes, size_t size)
{
    static const struct {
        uint32_t tag;
        const char *word;
        bool named;
    } tags[] = { { 0x01, "user", false }, { 0x02, "user", true },  { 0x04, "group", false },
                 { 0x08, "group", true }, { 0x10, "mask", false }, { 0x20, "other", false } };
    size_t count = (size - ACL_HEADER_SIZE) / ACL_ENTRY_SIZE, at = 0;
    if (size < ACL_HEADER_SIZE || little(bytes, 4) != ACL_VERSION) return NULL;
    char *text = calloc(count + 1, 32);

    for (size_t i = 0; text && i < count; i++) {
        const uint8_t *entry = bytes + ACL_HEADER_SIZE + i * ACL_ENTRY_SIZE;
        uint32_t tag = little(entry, 2), bits = little(entry + 2, 2);
        for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
            if (tags[t].tag != tag) continue;
            char id[12] = "";
            if (tags[t].named) snprintf(id, sizeof id, "%u", little(entry + 4, 4));
            at += (size_t)snprintf(text + at, 32, "%s%s:%s:%c%c%c", at > 0 ? "," : "", tags[t].word, id,
                                   bits & 4 ? 'r' : '-', bits & 2 ? 'w' : '-', bits & 1 ? 'x' : '-');
        }
    }
    return text;
}

static int
get_acl(const char *path, bool follow, char **text)
{
    static const char name[] = "system.posix_acl_access";
    uint8_t *bytes = malloc(ACL_SIZE_MAXIMUM);
    if (!bytes) return ENOMEM;
    ssize_t size =
        follow ? getxattr(path, name, bytes, ACL_SIZE_MAXIMUM) : lgetxattr(path, name, bytes, ACL_SIZE_MAXIMUM);
    int error_number = size < 0 ? errno : 0;

    /* the file system has no ACLs, the file has none, or it is a link: then the mode says everything */
    if (error_number == ENODATA || error_number == ENOTSUP) error_number = 0;
    else if (error_number == 0 && !(*text = acl_text(bytes, (size_t)size))) error_number = ENOMEM;
    free(bytes);
    return error_number;
}

#elif defined(__APPLE__)
#include <sys/acl.h>

/* This follows the system's manual, and is compiled and run on macOS only. */
static int
get_acl(const char *path, bool follow, char **text)
{
    acl_t acl = follow ? acl_get_file(path, ACL_TYPE_EXTENDED) : acl_get_link_np(path, ACL_TYPE_EXTENDED);
    if (!acl) return errno == ENOENT || errno == ENOTSUP ? 0 : errno;
    char *own = acl_to_text(acl, NULL);
    int error_number = own && (*text = strdup(own)) ? 0 : ENOMEM;
    if (own) acl_free(own);
    acl_free(acl);
    return error_number;
}

#else

static int
get_acl(const char *path, bool follow, char **text)
{
    (void)path, (void)follow, (void)text;
    return 0;
}

#endif

int
ws_access_get(const char *path, bool follow, uint32_t fields, ws_access *access)
{
    return fields & WS_FIELD_ACL ? get_acl(path, follow, &access->acl) : 0;
}
#endif

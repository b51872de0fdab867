/* Lists a folder on macOS: getattrlistbulk returns a block of names with the requested attributes of each. This code
 * follows the system's manual, and is compiled and run on macOS only.
 *
 * Sizes and link counts are used for regular files only. For other kinds, and where an attribute is not returned, the
 * row lacks it and a metadata call follows, as on Linux. */
#include "core/file_system/file_system.h"

#if defined(__APPLE__) && !defined(WS_FILE_SYSTEM_READDIR)
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/attr.h>
#include <sys/stat.h>
#include <sys/vnode.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_SIZE 65536

/* Reads packed attributes one after the other, in the order of their bits. */
typedef struct attribute_reader {
    const char *at;
} attribute_reader;

static void
take(attribute_reader *reader, void *value, size_t size)
{
    memcpy(value, reader->at, size);
    reader->at += size;
}

static int64_t
take_time(attribute_reader *reader)
{
    struct timespec time;

    take(reader, &time, sizeof time);
    return (int64_t)((uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec);
}

static uint32_t
mode_of_type(uint32_t type)
{
    switch (type) {
        case VREG: return S_IFREG;
        case VDIR: return S_IFDIR;
        case VLNK: return S_IFLNK;
        case VFIFO: return S_IFIFO;
        case VSOCK: return S_IFSOCK;
        case VCHR: return S_IFCHR;
        case VBLK: return S_IFBLK;
        default: return 0;
    }
}

static struct attrlist
attributes_for(uint32_t fields)
{
    struct attrlist list = { .bitmapcount = ATTR_BIT_MAP_COUNT };

    list.commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_ERROR | ATTR_CMN_NAME | ATTR_CMN_OBJTYPE;
    if (fields & WS_FIELD_DEVICE) list.commonattr |= ATTR_CMN_DEVID;
    if (fields & WS_FIELD_MTIME) list.commonattr |= ATTR_CMN_MODTIME;
    if (fields & WS_FIELD_CTIME) list.commonattr |= ATTR_CMN_CHGTIME;
    if (fields & WS_FIELD_OWNER) list.commonattr |= ATTR_CMN_OWNERID | ATTR_CMN_GRPID;
    if (fields & WS_FIELD_MODE) list.commonattr |= ATTR_CMN_ACCESSMASK;
    if (fields & WS_FIELD_INODE) list.commonattr |= ATTR_CMN_FILEID;
    if (fields & WS_FIELD_LINKS) list.fileattr |= ATTR_FILE_LINKCOUNT;
    if (fields & WS_FIELD_SIZE) list.fileattr |= ATTR_FILE_DATALENGTH;
    return list;
}

/* Reads the attributes that follow the name. Returns which fields they fill in. */
static uint32_t
take_facts(attribute_reader *reader, const attribute_set_t *returned, uint32_t type, ws_stat *stat)
{
    uint32_t known = 0, access = 0, links = 0;
    uint64_t size = 0;

    if (returned->commonattr & ATTR_CMN_MODTIME) known |= WS_FIELD_MTIME, stat->mtime = take_time(reader);
    if (returned->commonattr & ATTR_CMN_CHGTIME) known |= WS_FIELD_CTIME, stat->ctime = take_time(reader);
    if (returned->commonattr & ATTR_CMN_OWNERID) take(reader, &stat->owner, sizeof stat->owner);
    if (returned->commonattr & ATTR_CMN_GRPID) known |= WS_FIELD_OWNER, take(reader, &stat->group, sizeof stat->group);
    if (returned->commonattr & ATTR_CMN_ACCESSMASK) known |= WS_FIELD_MODE, take(reader, &access, sizeof access);
    if (returned->commonattr & ATTR_CMN_FILEID) known |= WS_FIELD_INODE, take(reader, &stat->inode, sizeof stat->inode);
    if (returned->fileattr & ATTR_FILE_LINKCOUNT) take(reader, &links, sizeof links);
    if (returned->fileattr & ATTR_FILE_DATALENGTH) take(reader, &size, sizeof size);
    stat->mode = mode_of_type(type) | (access & 07777);
    stat->links = links;
    stat->size = size;
    if (type != VREG) return known;
    if (returned->fileattr & ATTR_FILE_LINKCOUNT) known |= WS_FIELD_LINKS;
    if (returned->fileattr & ATTR_FILE_DATALENGTH) known |= WS_FIELD_SIZE;
    return known;
}

static int
add_entry(ws_listing *listing, const char *entry)
{
    attribute_reader reader = { entry + sizeof(uint32_t) };
    attribute_set_t returned;
    attrreference_t name;
    uint32_t error_number = 0, type = VNON, known = 0;
    dev_t device = 0;
    ws_stat stat = { .device = 0 };

    take(&reader, &returned, sizeof returned);
    if (returned.commonattr & ATTR_CMN_ERROR) take(&reader, &error_number, sizeof error_number);
    const char *name_bytes = reader.at;
    take(&reader, &name, sizeof name);
    name_bytes += name.attr_dataoffset;
    if (returned.commonattr & ATTR_CMN_DEVID) take(&reader, &device, sizeof device), known |= WS_FIELD_DEVICE;
    if (returned.commonattr & ATTR_CMN_OBJTYPE) take(&reader, &type, sizeof type);
    stat.device = (uint64_t)device;
    known |= take_facts(&reader, &returned, type, &stat);
    if (mode_of_type(type) != 0) known |= WS_FIELD_TYPE;
    if (!ws_listing_add(listing, name_bytes, strlen(name_bytes), ws_listed_type_of_mode(stat.mode))) return ENOMEM;
    if (error_number == 0) ws_listing_fill(listing, listing->count - 1, &stat, known);
    return 0;
}

int
ws_folder_list(ws_folder folder, ws_listing *listing)
{
    struct attrlist list = attributes_for(listing->fields);

    if (!listing->block && !(listing->block = malloc(BLOCK_SIZE))) return ENOMEM;
    while (!ws_is_set(listing->cancelled)) {
        int count = getattrlistbulk((int)folder, &list, listing->block, BLOCK_SIZE, 0);
        const char *entry = listing->block;

        if (count < 0) return errno;
        if (count == 0) return 0;
        for (int i = 0; i < count; i++) {
            uint32_t size;
            memcpy(&size, entry, sizeof size);
            int error_number = add_entry(listing, entry);
            if (error_number != 0) return error_number;
            entry += size;
        }
    }
    return EINTR;
}
#endif

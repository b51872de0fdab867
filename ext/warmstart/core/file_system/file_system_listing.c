/* Rows of a listing and their names: the code that is the same on all systems. The implementations of ws_folder_list,
 * the walk and the scanner use it. */
#include "core/file_system/file_system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/bytes/vector.h"

/* Windows' headers lack these, although Windows has links and sockets. */
#ifndef S_IFLNK
#define S_IFLNK 0120000
#endif
#ifndef S_IFSOCK
#define S_IFSOCK 0140000
#endif

ws_listed_type
ws_listed_type_of_mode(uint32_t mode)
{
    switch (mode & S_IFMT) {
        case S_IFREG: return WS_LISTED_FILE;
        case S_IFDIR: return WS_LISTED_DIRECTORY;
        case S_IFIFO: return WS_LISTED_FIFO;
        case S_IFCHR: return WS_LISTED_CHARACTER;
        case S_IFLNK: return WS_LISTED_LINK;
        case S_IFSOCK: return WS_LISTED_SOCKET;
#ifdef S_IFBLK
        case S_IFBLK: return WS_LISTED_BLOCK;
#endif
        default: return WS_LISTED_UNKNOWN;
    }
}

/* Enlarges one of the arrays that share listing->capacity. On failure leaves it unchanged and returns false. */
static bool
grow(void **array, size_t item_size, uint32_t capacity)
{
    void *grown = realloc(*array, item_size * capacity);

    if (!grown) return false;
    *array = grown;
    return true;
}

static bool
reserve_rows(ws_listing *listing, uint32_t more)
{
    if (more <= listing->capacity - listing->count) return true;
    if (more > UINT32_MAX / 2 - listing->count || listing->capacity > UINT32_MAX / 2) return false;
    uint32_t capacity = listing->count + more > listing->capacity * 2 ? listing->count + more : listing->capacity * 2;

    if (!grow((void **)&listing->rows, sizeof(ws_row), capacity)) return false;
    if ((listing->fields & ~(uint32_t)WS_FIELDS_IN_ROW) && !grow((void **)&listing->stats, sizeof(ws_stat), capacity))
        return false;
    bool accesses = (listing->fields & WS_FIELD_ACL) || (ws_owners_are_sids && (listing->fields & WS_FIELD_OWNER));
    if (accesses && !grow((void **)&listing->accesses, sizeof(ws_access), capacity)) return false;
    listing->capacity = capacity;
    return true;
}

static bool
reserve_names(ws_listing *listing, size_t size)
{
    return WS_RESERVE(listing->names, listing->names_capacity, listing->names_size + size);
}

bool
ws_listing_reserve(ws_listing *listing, uint32_t rows, size_t names_size)
{
    return reserve_names(listing, names_size) && reserve_rows(listing, rows);
}

ws_row *
ws_listing_add(ws_listing *listing, const char *name, size_t name_size, ws_listed_type type)
{
    if (name_size >= listing->names_capacity - listing->names_size && !reserve_names(listing, name_size + 1024))
        return NULL;
    if (listing->count == listing->capacity && !reserve_rows(listing, 64)) return NULL;
    uint32_t number = listing->count++;
    ws_row *row = &listing->rows[number];

    memset(row, 0, sizeof *row);
    row->name_offset = (uint32_t)listing->names_size;
    row->name_size = (uint32_t)name_size;
    row->type = (uint8_t)type;
    if (type != WS_LISTED_UNKNOWN) row->known = WS_FIELD_TYPE;
    if (listing->stats) memset(&listing->stats[number], 0, sizeof(ws_stat));
    if (listing->accesses) memset(&listing->accesses[number], 0, sizeof(ws_access));
    memcpy(listing->names + listing->names_size, name, name_size);
    listing->names[listing->names_size + name_size] = '\0';
    listing->names_size += name_size + 1;
    return row;
}

void
ws_listing_fill(ws_listing *listing, uint32_t number, const ws_stat *stat, uint32_t known)
{
    ws_row *row = &listing->rows[number];

    row->known |= known;
    if (known & WS_FIELD_SIZE) row->size = stat->size;
    if (known & WS_FIELD_MTIME) row->mtime = stat->mtime;
    if (known & WS_FIELD_TYPE) row->type = (uint8_t)ws_listed_type_of_mode(stat->mode);
    if (listing->stats) listing->stats[number] = *stat;
}

void
ws_listing_truncate(ws_listing *listing, uint32_t count)
{
    if (count >= listing->count) return;
    for (uint32_t i = count; listing->accesses && i < listing->count; i++) {
        free(listing->accesses[i].owner);
        free(listing->accesses[i].group);
        free(listing->accesses[i].acl);
    }
    listing->names_size = listing->rows[count].name_offset;
    listing->count = count;
}

void
ws_listing_free(ws_listing *listing)
{
    ws_listing_truncate(listing, 0);
    free(listing->names);
    free(listing->rows);
    free(listing->stats);
    free(listing->accesses);
    free(listing->block);
    *listing = (ws_listing){ .fields = listing->fields, .cancelled = listing->cancelled };
}

/* The memory of a recording, which is a mapped file or anonymous memory; see arena.h. */
#include "arena.h"

#include <errno.h>
#include <string.h>
#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

static struct {
    char *base;
    size_t allocated;
} arena;

static bool
grow(void)
{
    if (arena.allocated + WS_SPACE_STEP > WS_SPACE_RESERVED) {
        errno = ENOSPC;
        return false;
    }
    if (!ws_space_grow(arena.base, arena.allocated)) return false;
    arena.allocated += WS_SPACE_STEP;
    return true;
}

bool
ws_arena_open(const char *path)
{
    ws_arena_close();
    arena.allocated = 0;
    if (!(arena.base = ws_space_reserve(path))) return false;
    if (!grow()) {
        int error = errno;
        ws_arena_close();
        errno = error;
        return false;
    }
    ws_arena_header *head = ws_arena_head();
    memcpy(head->magic, WS_ARENA_MAGIC, sizeof head->magic);
    head->version = WS_ARENA_VERSION;
    head->size = sizeof *head;
    head->pid = (int32_t)getpid();
    return true;
}

bool
ws_arena_is_open(void)
{
    return arena.base != NULL;
}

ws_arena_header *
ws_arena_head(void)
{
    return (ws_arena_header *)arena.base;
}

void *
ws_arena_add(uint32_t type, size_t size)
{
    if (!arena.base) return NULL;
    ws_arena_header *head = ws_arena_head();
    size = (sizeof(ws_record) + size + 7) & ~(size_t)7;
    while (!head->full && head->size + size > arena.allocated)
        if (!grow()) head->full = 1;
    if (head->full) return NULL;
    ws_record *record = (ws_record *)(arena.base + head->size);
    *record = (ws_record){ type, (uint32_t)size };
    head->size += size;
    return record + 1;
}

uint32_t
ws_arena_place(const void *record)
{
    return record ? (uint32_t)((const char *)record - arena.base) : 0;
}

uint32_t
ws_arena_text(const char *text, size_t size)
{
    uint32_t *record =
        size > 0 && size < WS_SPACE_STEP / 4 ? ws_arena_add(WS_RECORD_TEXT, sizeof *record + size) : NULL;
    if (!record) return 0;
    *record = (uint32_t)size;
    memcpy(record + 1, text, size);
    return ws_arena_place(record);
}

void
ws_arena_close(void)
{
    if (arena.base) ws_space_release(arena.base, arena.allocated);
    arena.base = NULL;
    arena.allocated = 0;
}

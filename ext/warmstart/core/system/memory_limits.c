/* How much memory the machine and control groups leave: memory.h documents the functions. */
#include "core/system/memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"

static struct {
    char *machine_file;
    ws_memory_limit *groups;
    size_t count, capacity; /* of the groups */
} limits;

/* Reads a kernel file as text. Returns false if there is none. */
static bool
read_text(const char *path, char *text, size_t size)
{
    long got = ws_memory_read(path, text, size - 1);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* Finds the line that begins with the name, and the number in it. */
static bool
find_number(const char *text, const char *name, uint64_t *number)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, name, length) != 0 || (line[length] != ' ' && line[length] != ':')) continue;
        const char *digits = line + length + strspn(line + length, ": \t");
        char *end;
        *number = strtoull(digits, &end, 10);
        return end != digits;
    }
    return false;
}

static uint64_t
difference(uint64_t one, uint64_t other)
{
    return one > other ? one - other : 0;
}

/* What the kernel can give without swapping. What is in the swap space will be wanted back. */
static uint64_t
left_by_machine(void)
{
    char text[8 << 10];
    uint64_t available, swap = 0, unused = 0;
    if (!limits.machine_file || !read_text(limits.machine_file, text, sizeof text)) return UINT64_MAX;
    if (!find_number(text, "MemAvailable", &available)) return UINT64_MAX;
    if (!find_number(text, "SwapTotal", &swap) || !find_number(text, "SwapFree", &unused)) swap = unused = 0;
    return difference(available, difference(swap, unused)) << 10;
}

static uint64_t
left_by_group(const ws_memory_limit *group)
{
    char text[8 << 10];
    uint64_t used = 0, cached = 0;
    if (read_text(group->usage, text, sizeof text)) used = strtoull(text, NULL, 10);
    if (read_text(group->statistics, text, sizeof text)) find_number(text, group->cached, &cached);
    return difference(group->limit, difference(used, cached));
}

static void
forget(ws_memory_limit *group)
{
    free((char *)group->usage);
    free((char *)group->statistics);
    free((char *)group->cached);
}

bool
ws_memory_limits_begin(const char *machine)
{
    while (limits.count > 0) forget(&limits.groups[--limits.count]);
    free(limits.machine_file);
    limits.machine_file = strdup(machine);
    return limits.machine_file != NULL;
}

bool
ws_memory_limits_add(const ws_memory_limit *limit)
{
    if (!WS_RESERVE(limits.groups, limits.capacity, limits.count + 1)) return false;
    ws_memory_limit copy = { limit->limit, strdup(limit->usage), strdup(limit->statistics), strdup(limit->cached) };
    if (!copy.usage || !copy.statistics || !copy.cached) {
        forget(&copy);
        return false;
    }
    limits.groups[limits.count++] = copy;
    return true;
}

uint64_t
ws_memory_left(void)
{
    uint64_t least = left_by_machine();
    for (size_t i = 0; i < limits.count; i++) {
        uint64_t left = left_by_group(&limits.groups[i]);
        if (left < least) least = left;
    }
    return least;
}

/* The arena's memory on Windows; see arena.h. Windows cannot map a file into reserved addresses. So each step
 * releases what is left of the reserved range, maps the file's next part there, and reserves the rest again. If another
 * thread takes the address in between, the recording stops and is marked as incomplete. The file grows before it is
 * mapped, so that a full disk is reported as an error and does not raise an exception. */
#ifdef _WIN32
#include "arena.h"

#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <errno.h>
#include <stdint.h>

enum { PATH_SIZE = 4096 };

static struct {
    WCHAR path[PATH_SIZE];
    bool in_file; /* else the memory is anonymous */
} space;

static int
errno_of(DWORD error)
{
    switch (error) {
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL:
        case ERROR_DISK_QUOTA_EXCEEDED: return ENOSPC;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION: return EACCES;
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS: return EEXIST;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND: return ENOENT;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_COMMITMENT_LIMIT: return ENOMEM;
        default: return EIO;
    }
}

static bool
failed(void)
{
    errno = errno_of(GetLastError());
    return false;
}

char *
ws_space_reserve(const char *path)
{
    space.in_file = path != NULL;
    if (path && MultiByteToWideChar(CP_UTF8, 0, path, -1, space.path, PATH_SIZE) == 0) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    void *reserved = VirtualAlloc(NULL, WS_SPACE_RESERVED, MEM_RESERVE, PAGE_NOACCESS);
    if (!reserved) failed();
    return reserved;
}

/* Makes the file at least `size` bytes long, so that a view of any part of it can be mapped. */
static HANDLE
mapping_of(size_t size, bool create)
{
    HANDLE file =
        CreateFileW(space.path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, create ? CREATE_NEW : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) return NULL;
    HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READWRITE, (DWORD)((uint64_t)size >> 32), (DWORD)size, NULL);
    DWORD error = GetLastError();
    CloseHandle(file);
    SetLastError(error);
    return mapping;
}

bool
ws_space_grow(char *base, size_t allocated)
{
    char *wanted = base + allocated;
    size_t size = allocated + WS_SPACE_STEP;
    if (!space.in_file) return VirtualAlloc(wanted, WS_SPACE_STEP, MEM_COMMIT, PAGE_READWRITE) ? true : failed();
    HANDLE mapping = mapping_of(size, allocated == 0);
    if (!mapping) return failed();
    VirtualFree(wanted, 0, MEM_RELEASE);
    void *got = MapViewOfFileEx(mapping, FILE_MAP_READ | FILE_MAP_WRITE, 0, (DWORD)allocated, WS_SPACE_STEP, wanted);
    if (!got) failed();
    if (size < WS_SPACE_RESERVED)
        VirtualAlloc(base + (got ? size : allocated), WS_SPACE_RESERVED - (got ? size : allocated), MEM_RESERVE,
                     PAGE_NOACCESS);
    CloseHandle(mapping);
    return got != NULL;
}

void
ws_space_release(char *base, size_t allocated)
{
    for (size_t at = 0; space.in_file && at < allocated; at += WS_SPACE_STEP) UnmapViewOfFile(base + at);
    char *rest = space.in_file ? base + allocated : base;
    MEMORY_BASIC_INFORMATION information;
    /* Another part of the program may have taken these addresses since. */
    if (VirtualQuery(rest, &information, sizeof information) && information.AllocationBase == rest)
        VirtualFree(rest, 0, MEM_RELEASE);
}
#endif

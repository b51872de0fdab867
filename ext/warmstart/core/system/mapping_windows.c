/* A file's bytes in memory on Windows, and reading them without dying of a page that cannot be read. mapping.h
 * documents the functions.
 *
 * Nobody can truncate a mapped file here, but a disk or a network may go away. The thread that touches such a page then
 * receives the exception EXCEPTION_IN_PAGE_ERROR. While a thread hashes, a record on its stack, which is found through
 * a thread-local slot, holds the range of bytes that it reads and the registers from before. A vectored handler
 * restores these registers, so that the call that saved them returns a second time, like setjmp. Every other exception
 * is passed on. */
#ifdef _WIN32
#include "core/system/windows_support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/mapping.h"

static ws_code
copy_file(ws_mapping *mapping, int descriptor, size_t size, const char *path, ws_error *error)
{
    size_t read_size = 0;

    void *bytes = malloc(size); /* aligned to 16 bytes, like everything in an image */
    if (!bytes) return ws_error_set(error, WS_MEMORY, ENOMEM, "allocate", path);
    LARGE_INTEGER start = { .QuadPart = 0 };
    int error_number =
        SetFilePointerEx(ws_windows_handle(descriptor), start, NULL, FILE_BEGIN) ? 0 : ws_windows_errno(GetLastError());
    if (error_number == 0) error_number = ws_file_read(descriptor, bytes, size, &read_size);
    if (error_number == 0 && read_size == size) {
        *mapping = (ws_mapping){ .bytes = bytes, .size = size, .copied = true };
        return WS_OK;
    }
    free(bytes);
    return ws_error_set(error, error_number != 0 ? WS_SYSTEM : WS_UNREADABLE, error_number, "read", path);
}

/* A view reaches to the end of its last page, but not beyond the file. Asking for more than the file has is an
 * error. */
static ws_code
map_file(ws_mapping *mapping, int descriptor, size_t size, const char *path, ws_error *error)
{
    void *bytes = NULL;

    HANDLE section = CreateFileMappingW(ws_windows_handle(descriptor), NULL, PAGE_READONLY, 0, 0, NULL);
    if (section) bytes = MapViewOfFile(section, FILE_MAP_READ, 0, 0, size);
    int error_number = bytes ? 0 : ws_windows_errno(GetLastError());
    if (section) CloseHandle(section);
    if (!bytes) return ws_error_set(error, error_number == ENOMEM ? WS_MEMORY : WS_SYSTEM, error_number, "map", path);
    *mapping = (ws_mapping){ .bytes = bytes, .size = size, .copied = false };
    return WS_OK;
}

ws_code
ws_mapping_open(ws_mapping *mapping, int descriptor, size_t size, bool copy, const char *path, ws_error *error)
{
    *mapping = (ws_mapping){ .bytes = NULL, .size = 0, .copied = false };
    if (size == 0) return ws_error_set(error, WS_TRUNCATED, 0, "map", path);
    return copy ? copy_file(mapping, descriptor, size, path, error) : map_file(mapping, descriptor, size, path, error);
}

void
ws_mapping_close(ws_mapping *mapping)
{
    if (mapping->bytes) {
        if (mapping->copied) free((void *)mapping->bytes);
        else UnmapViewOfFile(mapping->bytes);
    }
    *mapping = (ws_mapping){ .bytes = NULL, .size = 0, .copied = false };
}

void *
ws_mapping_allocate(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void
ws_mapping_release(void *bytes, size_t size)
{
    (void)size;
    if (bytes) VirtualFree(bytes, 0, MEM_RELEASE);
}

/* VirtualUnlock removes pages that were never locked from the working set, as documented. It then reports a failure,
 * which we ignore. */
void
ws_mapping_forget(const ws_mapping *mapping, const uint8_t *from, const uint8_t *to)
{
    const uintptr_t mask = ~(uintptr_t)4095;

    if (mapping->copied || from < mapping->bytes || to > mapping->bytes + mapping->size) return;
    uintptr_t first = ((uintptr_t)from + 4095) & mask, last = (uintptr_t)to & mask;
    if (last > first) VirtualUnlock((void *)first, last - first);
}

/* ---- the guard ---- */

typedef struct ws_guard {
    CONTEXT back;
    uintptr_t first_byte, last_byte;
    volatile int failed;
} ws_guard;

static struct {
    INIT_ONCE once;
    bool works;
    DWORD slot; /* of each thread: its ws_guard */
} guards = { INIT_ONCE_STATIC_INIT, false, TLS_OUT_OF_INDEXES };

__declspec(dllimport) __attribute__((returns_twice)) VOID NTAPI RtlCaptureContext(PCONTEXT context);

static bool
guard_covers(const ws_guard *guard, const EXCEPTION_RECORD *record)
{
    /* Wine reports a page beyond the end of a truncated file in this way, and without an address. */
    if (record->ExceptionCode == EXCEPTION_DATATYPE_MISALIGNMENT) return true;
    if (record->ExceptionCode != EXCEPTION_IN_PAGE_ERROR && record->ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
        return false;
    if (record->NumberParameters < 2) return false;
    uintptr_t address = (uintptr_t)record->ExceptionInformation[1];
    return address >= (guard->first_byte & ~(uintptr_t)4095) && address <= (guard->last_byte | 4095);
}

static LONG CALLBACK
guard_handle(EXCEPTION_POINTERS *exception)
{
    DWORD code = exception->ExceptionRecord->ExceptionCode;
    if (code != EXCEPTION_IN_PAGE_ERROR && code != EXCEPTION_ACCESS_VIOLATION &&
        code != EXCEPTION_DATATYPE_MISALIGNMENT)
        return EXCEPTION_CONTINUE_SEARCH;
    DWORD error = GetLastError();
    ws_guard *guard = TlsGetValue(guards.slot);
    SetLastError(error);
    if (!guard || !guard_covers(guard, exception->ExceptionRecord)) return EXCEPTION_CONTINUE_SEARCH;
    guard->failed = 1;
    *exception->ContextRecord = guard->back;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static BOOL CALLBACK
install_guard(PINIT_ONCE once, PVOID argument, PVOID *context)
{
    (void)once, (void)argument, (void)context;
    guards.slot = TlsAlloc();
    guards.works = guards.slot != TLS_OUT_OF_INDEXES && AddVectoredExceptionHandler(1, guard_handle) != NULL;
    return TRUE;
}

void
ws_mapping_guard_install(void)
{
    InitOnceExecuteOnce(&guards.once, install_guard, NULL, NULL);
}

/* (A handler that was added this way is asked about every exception, and passes on all that are not its own.) */
void
ws_mapping_guard_remove(void)
{
}

/* These are separate functions so that no local variable of a caller lives across the second return. */
__attribute__((noinline)) static ws_code
guarded_hash(ws_guard *guard, const void *bytes, size_t size, uint64_t seed, uint64_t *hash)
{
    RtlCaptureContext(&guard->back);
    if (guard->failed) return WS_UNREADABLE;
    if (!TlsSetValue(guards.slot, guard)) return WS_MEMORY;
    *hash = ws_hash64(bytes, size, seed);
    return WS_OK;
}

__attribute__((noinline)) static ws_code
guarded_copy(ws_guard *guard, void *to, const void *from, size_t size)
{
    RtlCaptureContext(&guard->back);
    if (guard->failed) return WS_UNREADABLE;
    if (!TlsSetValue(guards.slot, guard)) return WS_MEMORY;
    memcpy(to, from, size);
    return WS_OK;
}

static bool
begin_guard(ws_guard *guard, const void *bytes, size_t size)
{
    ws_mapping_guard_install();
    guard->failed = 0;
    guard->first_byte = (uintptr_t)bytes;
    guard->last_byte = (uintptr_t)bytes + (size > 0 ? size - 1 : 0);
    return guards.works;
}

ws_code
ws_mapping_hash(const void *bytes, size_t size, uint64_t seed, uint64_t *hash)
{
    ws_guard guard;

    if (!begin_guard(&guard, bytes, size)) return WS_SYSTEM;
    ws_code code = guarded_hash(&guard, bytes, size, seed, hash);
    TlsSetValue(guards.slot, NULL);
    return code;
}

ws_code
ws_mapping_read_out(void *to, const void *from, size_t size)
{
    ws_guard guard;

    if (!begin_guard(&guard, from, size)) return WS_SYSTEM;
    ws_code code = guarded_copy(&guard, to, from, size);
    TlsSetValue(guards.slot, NULL);
    return code;
}
#endif

/* Counts file system calls on Windows, where nothing can be preloaded. A library calls the system through its import
 * table, whose addresses the loader has filled in. In the import tables of Ruby's library and of the accelerator's,
 * this file replaces the addresses of some functions by those of functions that count and then call the system's. It
 * does not count the calls of other libraries, nor the calls that the system makes inside itself.
 *
 * Ruby reads the last error after a call, so nothing here may change it. Each thread's counters lie in memory of its
 * own, which is never freed. */
#ifdef _WIN32
#include "system.h"

#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <winioctl.h>
#include <winternl.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static struct {
    DWORD slot;
    uint64_t nobodys[WS_CALL_COUNT]; /* used by threads that get no memory for counters of their own */
} counting = { .slot = TLS_OUT_OF_INDEXES };

static uint64_t *
counters(void)
{
    DWORD error = GetLastError();
    uint64_t *own = TlsGetValue(counting.slot);
    if (!own) {
        own = calloc(WS_CALL_COUNT, sizeof *own);
        if (!own || !TlsSetValue(counting.slot, own)) {
            free(own);
            own = counting.nobodys;
        }
    }
    SetLastError(error);
    return own;
}

static void
count(ws_call call, bool failed)
{
    uint64_t *own = counters();
    own[call]++;
    if (failed) own[call + 1]++; /* In calls.h, OPEN, STAT and READLINK are each followed by their failed ones. */
}

static void
count_read(uint64_t asked, uint64_t got)
{
    uint64_t *own = counters();
    own[WS_CALL_READ]++;
    own[WS_CALL_READ_BYTES] += got;
    own[asked <= 16     ? WS_CALL_READS_TO_16
        : asked <= 512  ? WS_CALL_READS_TO_512
        : asked <= 4096 ? WS_CALL_READS_TO_4096
                        : WS_CALL_READS_OVER_4096]++;
}

/* ---- functions that replace the system's ---- */

#define DATA_ACCESS \
    (GENERIC_READ | GENERIC_WRITE | GENERIC_EXECUTE | GENERIC_ALL | FILE_READ_DATA | FILE_WRITE_DATA | FILE_APPEND_DATA)

/* Declares a pointer to the system's function, and begins the definition of the function that replaces it. */
#define FUNCTION(result, name, ...)                    \
    static result(WINAPI *system_##name)(__VA_ARGS__); \
    static result WINAPI counted_##name(__VA_ARGS__)

/* Opening a file without access to its data is how Ruby asks for metadata, so it counts as a stat. */
FUNCTION(HANDLE, CreateFileW, LPCWSTR path, DWORD access, DWORD sharing, LPSECURITY_ATTRIBUTES security,
         DWORD disposition, DWORD flags, HANDLE template)
{
    HANDLE handle = system_CreateFileW(path, access, sharing, security, disposition, flags, template);
    count(access & DATA_ACCESS ? WS_CALL_OPEN : WS_CALL_STAT, handle == INVALID_HANDLE_VALUE);
    return handle;
}

FUNCTION(NTSTATUS, NtCreateFile, PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes,
         PIO_STATUS_BLOCK block, PLARGE_INTEGER size, ULONG file_attributes, ULONG sharing, ULONG disposition,
         ULONG options, PVOID extended, ULONG extended_size)
{
    NTSTATUS status = system_NtCreateFile(handle, access, attributes, block, size, file_attributes, sharing,
                                          disposition, options, extended, extended_size);
    count(access & DATA_ACCESS ? WS_CALL_OPEN : WS_CALL_STAT, status < 0);
    return status;
}

FUNCTION(int, _wopen, const wchar_t *path, int flags, int mode)
{
    int descriptor = system__wopen(path, flags, mode);
    count(WS_CALL_OPEN, descriptor < 0);
    return descriptor;
}

FUNCTION(DWORD, GetFileAttributesW, LPCWSTR path)
{
    DWORD attributes = system_GetFileAttributesW(path);
    count(WS_CALL_STAT, attributes == INVALID_FILE_ATTRIBUTES);
    return attributes;
}

FUNCTION(BOOL, GetFileAttributesExW, LPCWSTR path, GET_FILEEX_INFO_LEVELS level, LPVOID information)
{
    BOOL done = system_GetFileAttributesExW(path, level, information);
    count(WS_CALL_STAT, !done);
    return done;
}

FUNCTION(NTSTATUS, NtQueryFullAttributesFile, POBJECT_ATTRIBUTES attributes, PVOID information)
{
    NTSTATUS status = system_NtQueryFullAttributesFile(attributes, information);
    count(WS_CALL_STAT, status < 0);
    return status;
}

/* With a pattern this lists a folder; with a plain name it asks for one file's metadata. */
FUNCTION(HANDLE, FindFirstFileW, LPCWSTR pattern, LPWIN32_FIND_DATAW data)
{
    HANDLE handle = system_FindFirstFileW(pattern, data);
    if (wcspbrk(pattern, L"*?")) count(WS_CALL_LIST, false);
    else count(WS_CALL_STAT, handle == INVALID_HANDLE_VALUE);
    return handle;
}

FUNCTION(BOOL, DeviceIoControl, HANDLE handle, DWORD code, LPVOID in, DWORD in_size, LPVOID out, DWORD out_size,
         LPDWORD size, LPOVERLAPPED overlapped)
{
    BOOL done = system_DeviceIoControl(handle, code, in, in_size, out, out_size, size, overlapped);
    if (code == FSCTL_GET_REPARSE_POINT) count(WS_CALL_READLINK, !done);
    return done;
}

FUNCTION(BOOL, ReadFile, HANDLE handle, LPVOID buffer, DWORD size, LPDWORD got, LPOVERLAPPED overlapped)
{
    BOOL done = system_ReadFile(handle, buffer, size, got, overlapped);
    count_read(size, done && got ? *got : 0);
    return done;
}

FUNCTION(int, _read, int descriptor, void *buffer, unsigned size)
{
    int got = system__read(descriptor, buffer, size);
    count_read(size, got > 0 ? (uint64_t)got : 0);
    return got;
}

FUNCTION(HANDLE, CreateFileMappingW, HANDLE file, LPSECURITY_ATTRIBUTES security, DWORD protection, DWORD high,
         DWORD low, LPCWSTR name)
{
    HANDLE mapping = system_CreateFileMappingW(file, security, protection, high, low, name);
    if (file != INVALID_HANDLE_VALUE) count(WS_CALL_MMAP, false);
    return mapping;
}

FUNCTION(BOOL, CreateDirectoryW, LPCWSTR path, LPSECURITY_ATTRIBUTES security)
{
    count(WS_CALL_OTHER, false);
    return system_CreateDirectoryW(path, security);
}

FUNCTION(BOOL, RemoveDirectoryW, LPCWSTR path)
{
    count(WS_CALL_OTHER, false);
    return system_RemoveDirectoryW(path);
}

FUNCTION(BOOL, DeleteFileW, LPCWSTR path)
{
    count(WS_CALL_OTHER, false);
    return system_DeleteFileW(path);
}

FUNCTION(BOOL, MoveFileExW, LPCWSTR path, LPCWSTR new_path, DWORD flags)
{
    count(WS_CALL_OTHER, false);
    return system_MoveFileExW(path, new_path, flags);
}

#define ENTRY(name)                                            \
    {                                                          \
#name, (void *)counted_##name, (void **)&system_##name \
    }
static const struct {
    const char *name;
    void *counted;
    void **system;
} functions[] = {
    ENTRY(CreateFileW),
    ENTRY(NtCreateFile),
    ENTRY(_wopen),
    ENTRY(GetFileAttributesW),
    ENTRY(GetFileAttributesExW),
    ENTRY(NtQueryFullAttributesFile),
    ENTRY(FindFirstFileW),
    ENTRY(DeviceIoControl),
    ENTRY(ReadFile),
    ENTRY(_read),
    ENTRY(CreateFileMappingW),
    ENTRY(CreateDirectoryW),
    ENTRY(RemoveDirectoryW),
    ENTRY(DeleteFileW),
    ENTRY(MoveFileExW),
};

/* ---- import tables ---- */

static void
replace(void **address, const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        DWORD protection;
        if (strcmp(name, functions[i].name) != 0 || *address == functions[i].counted) continue;
        *functions[i].system = *address;
        if (!VirtualProtect(address, sizeof *address, PAGE_READWRITE, &protection)) return;
        InterlockedExchangePointer(address, functions[i].counted);
        VirtualProtect(address, sizeof *address, protection, &protection);
        return;
    }
}

static void
count_calls_of(char *library)
{
    const IMAGE_NT_HEADERS *headers =
        (const IMAGE_NT_HEADERS *)(library + ((const IMAGE_DOS_HEADER *)library)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *imports = &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    if (imports->Size == 0) return;
    for (const IMAGE_IMPORT_DESCRIPTOR *from = (const IMAGE_IMPORT_DESCRIPTOR *)(library + imports->VirtualAddress);
         from->Name; from++) {
        if (from->OriginalFirstThunk == 0) continue;
        const IMAGE_THUNK_DATA *names = (const IMAGE_THUNK_DATA *)(library + from->OriginalFirstThunk);
        void **addresses = (void **)(library + from->FirstThunk);
        for (size_t i = 0; names[i].u1.AddressOfData; i++)
            if (!IMAGE_SNAP_BY_ORDINAL(names[i].u1.Ordinal))
                replace(&addresses[i],
                        (const char *)((const IMAGE_IMPORT_BY_NAME *)(library + names[i].u1.AddressOfData))->Name);
    }
}

ws_calls_function *
ws_calls_counter(void)
{
    return counting.slot == TLS_OUT_OF_INDEXES ? NULL : counters;
}

/* The address of any function of Ruby identifies Ruby's library. */
extern __declspec(dllimport) void ruby_init_stack(volatile void *);

void
ws_count_calls(void)
{
    HMODULE ruby, accelerator = GetModuleHandleA("warmstart.so");
    if (counting.slot == TLS_OUT_OF_INDEXES && (counting.slot = TlsAlloc()) == TLS_OUT_OF_INDEXES) return;
    if (GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                           (const char *)(uintptr_t)ruby_init_stack, &ruby))
        count_calls_of((char *)ruby);
    if (accelerator) count_calls_of((char *)accelerator);
}
#endif

/* Helpers for the Windows parts of the core: paths in the system's form, descriptors, and error
 * numbers. This header is empty on other systems. */
#ifndef WARMSTART_CORE_WINDOWS_SUPPORT_H
#define WARMSTART_CORE_WINDOWS_SUPPORT_H
#ifdef _WIN32

/* Ruby's own headers ask for an older version. */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <winternl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/file.h"

/* The system limits paths to 32,767 characters. Our own limit (WS_PATH_MAXIMUM) is 4,096 bytes. */
#define WS_WIDE_PATH_MAXIMUM 4200

/* A path in the system's own form, which it uses unchanged: "\\?\C:\a\b", "\\?\UNC\server\share\a". Replacing its
 * second character by "?" makes it an NT name. */
typedef struct ws_wide_path {
    WCHAR text[WS_WIDE_PATH_MAXIMUM];
    size_t size;
} ws_wide_path;

/* Converts from UTF-8. `path` has "/" or "\", and is relative to the current folder unless it is absolute. Returns 0,
 * EINVAL, ENAMETOOLONG or another errno. */
int ws_windows_path(ws_wide_path *wide, const char *path);
/* Converts UTF-16 to UTF-8 and terminates it. Returns its size, or 0 when it does not fit or is not valid text. */
size_t ws_windows_text(char *buffer, size_t buffer_size, const WCHAR *wide, size_t wide_size);

/* The errno for a system error (GetLastError) or an NT status. */
int ws_windows_errno(DWORD error);
int ws_windows_errno_of(NTSTATUS status);

/* A descriptor is the handle itself: of a handle, 32 bits are significant (Microsoft's "Interprocess Communication
 * Between 32-bit and 64-bit Applications"), and -1 is INVALID_HANDLE_VALUE. It has no number in the table of the C
 * runtime, which is the program's: a file that the program opens gets the number that it gets in plain Ruby. */
static inline HANDLE
ws_windows_handle(int descriptor)
{
    return (HANDLE)(intptr_t)descriptor;
}

static inline int
ws_windows_descriptor(HANDLE handle)
{
    return (int)(intptr_t)handle;
}

/* Opens a name, or a path with "/", below an open folder, as openat does. Does not follow a symlink of that name where
 * `options` has FILE_OPEN_REPARSE_POINT. */
NTSTATUS ws_windows_open_at(HANDLE directory, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
                            HANDLE *handle);
/* The same for UTF-16 with "\"; `directory` may be NULL for an NT name. */
NTSTATUS ws_windows_open_wide(HANDLE directory, WCHAR *name, size_t size, ACCESS_MASK access, ULONG disposition,
                              ULONG options, HANDLE *handle);
/* Opens an existing file or folder by any path. Returns 0 or errno. */
int ws_windows_open_path(const char *path, bool follow, DWORD access, HANDLE *handle);
/* Everything that an open handle tells. Returns 0 or errno. */
int ws_windows_stat(HANDLE handle, ws_stat *stat);

/* Is the object on a local volume that keeps exact times, for folders too, and shows them all in its listings? */
bool ws_windows_keeps_times(HANDLE handle);

/* Converts 100 ns units since 1601 to nanoseconds since 1970. */
int64_t ws_windows_time(LARGE_INTEGER time);
ws_file_type ws_windows_type(DWORD attributes, DWORD reparse_tag);
/* Fills in the type and what follows from it: a mode as Ruby's File::Stat has it, and size 0 for a folder, whose size
 * means nothing. */
void ws_windows_fill_type(ws_stat *stat, DWORD attributes, DWORD reparse_tag);

#endif
#endif

/* What the Windows halves of the core share: paths as the system wants them, handles behind descriptors, its error
 * numbers. Who includes it: file_windows.c and its parts, mapping_windows.c, scanner_list_windows.c. Empty elsewhere.
 */
#ifndef WARMSTART_CORE_WINDOWS_SUPPORT_H
#define WARMSTART_CORE_WINDOWS_SUPPORT_H
#ifdef _WIN32

/* (Ruby's own headers ask for less.) */
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

/* The system's limit for paths is 32,767; ours (ws_resolution) is 4,096 bytes. */
#define WS_WIDE_PATH_MAXIMUM 4200

/* A path in the system's own form, which it takes as it is: "\\?\C:\a\b", "\\?\UNC\server\share\a". As an NT name: its
 * second character made a "?". */
typedef struct ws_wide_path {
    WCHAR text[WS_WIDE_PATH_MAXIMUM];
    size_t size;
} ws_wide_path;

/* From UTF-8, with "/" or "\", relative to the current folder where it is not absolute. 0, or EINVAL, ENAMETOOLONG. */
int ws_windows_path(ws_wide_path *wide, const char *path);
/* UTF-16 to UTF-8, terminated. The size, or 0 when it does not fit or is no text. */
size_t ws_windows_text(char *buffer, size_t buffer_size, const WCHAR *wide, size_t wide_size);

/* The errno for an error of the system's (GetLastError) or an NT status. */
int ws_windows_errno(DWORD error);
int ws_windows_errno_of(NTSTATUS status);

/* The handle behind a descriptor; INVALID_HANDLE_VALUE for none. */
HANDLE ws_windows_handle(int descriptor);
/* A descriptor that owns the handle. 0 or errno (then the handle is closed). */
int ws_windows_descriptor(HANDLE handle, int *descriptor);

/* Opens a plain name in an open folder, as openat does. Symlinks in the name are not followed where `options` has
 * FILE_OPEN_REPARSE_POINT. */
NTSTATUS ws_windows_open_at(HANDLE directory, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
                            HANDLE *handle);

/* The same as descriptors are opened (file.h): 0 or errno. */
int ws_windows_open(const char *path, ws_open_kind kind, HANDLE *handle);
int ws_windows_open_below(HANDLE directory, const char *name, ws_open_kind kind, HANDLE *handle);
/* All that an open handle tells. 0 or errno. */
int ws_windows_stat(HANDLE handle, ws_stat *stat);

/* Is what the handle is of on a volume of this machine's that keeps exact times, also those of folders, and all of them
 * in its listings? */
bool ws_windows_keeps_times(HANDLE handle);

/* Nanoseconds since 1970 from 100 ns since 1601. */
int64_t ws_windows_time(LARGE_INTEGER time);
ws_file_type ws_windows_type(DWORD attributes, DWORD reparse_tag);
/* The type, and what follows from it: a mode as Ruby's File::Stat has it, and no size of folders, which says nothing.
 */
void ws_windows_fill_type(ws_stat *stat, DWORD attributes, DWORD reparse_tag);

/* What a listing tells of a name. */
typedef struct ws_windows_entry {
    const char *name;
    size_t name_size;
    DWORD attributes, reparse_tag;
} ws_windows_entry;
/* Calls for each name but "." and ".."; stops where the callback says an errno. 0 or errno. */
typedef int (*ws_windows_listing)(void *data, const ws_windows_entry *entry);
int ws_windows_list(HANDLE directory, ws_windows_listing callback, void *data);

#endif
#endif

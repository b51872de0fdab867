/* Operations on names in a folder on Windows: replacing, removing, listing, locking. file.h documents the functions.
 *
 * A file that somebody has open can be replaced and removed as on POSIX systems (Windows 10, 1709, on NTFS): its name
 * is free at once, and whoever has the file open keeps it. Where the system cannot do that, or a virus scanner holds
 * the file for a moment, we retry the older way for a while. After that we rename the old file, and a later sweep finds
 * it under its new name. A segment that somebody has mapped stays, and the next sweep tries again. */
#ifdef _WIN32
#include "core/system/thread.h"
#include "core/system/windows_support.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* winternl.h lacks these. */
#define FILE_RENAME_INFORMATION_CLASS ((FILE_INFORMATION_CLASS)10)
#define FILE_RENAME_INFORMATION_EX_CLASS ((FILE_INFORMATION_CLASS)65)
#define FILE_DISPOSITION_INFORMATION_CLASS ((FILE_INFORMATION_CLASS)13)
#define FILE_DISPOSITION_INFORMATION_EX_CLASS ((FILE_INFORMATION_CLASS)64)
#define RENAME_REPLACES 1u
#define RENAME_LIKE_POSIX 2u
#define DISPOSITION_DELETES 1u
#define DISPOSITION_LIKE_POSIX 2u
#define DISPOSITION_ALSO_READ_ONLY 16u

/* We try so often, with a pause of so many milliseconds, and then rename the old file. */
enum { TRIES = 10, PAUSE = 20 };

typedef struct rename_information {
    ULONG flags; /* in the older class this is one byte: whether to replace */
    HANDLE directory;
    ULONG name_size;
    WCHAR name[64];
} rename_information;

/* Somebody else has the file open in a way that forbids the operation, perhaps only for a moment. */
static bool
is_held(int error_number)
{
    return error_number == EACCES;
}

/* Did it fail because the system or the file system does not know the newer class? */
static bool
is_unknown(NTSTATUS status)
{
    return status == (NTSTATUS)0xC0000003 || status == (NTSTATUS)0xC000000D || status == (NTSTATUS)0xC00000BB ||
           status == (NTSTATUS)0xC0000010 || status == (NTSTATUS)0xC0000002;
}

static NTSTATUS
rename_once(HANDLE handle, rename_information *information)
{
    IO_STATUS_BLOCK block;
    ULONG size = (ULONG)(offsetof(rename_information, name) + information->name_size);

    information->flags = RENAME_REPLACES | RENAME_LIKE_POSIX;
    NTSTATUS status = NtSetInformationFile(handle, &block, information, size, FILE_RENAME_INFORMATION_EX_CLASS);
    if (!is_unknown(status)) return status;
    information->flags = RENAME_REPLACES;
    return NtSetInformationFile(handle, &block, information, size, FILE_RENAME_INFORMATION_CLASS);
}

/* Returns 0 or errno. */
static int
rename_now(HANDLE folder, const char *name, const char *new_name)
{
    HANDLE handle;
    rename_information information = { .directory = folder };

    size_t size = strlen(new_name);
    if (size >= sizeof information.name / sizeof(WCHAR)) return ENAMETOOLONG;
    for (size_t i = 0; i < size; i++)
        information.name[i] = (WCHAR)(unsigned char)new_name[i]; /* our own names are ASCII */
    information.name_size = (ULONG)(size * sizeof(WCHAR));
    NTSTATUS status = ws_windows_open_at(folder, name, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT, &handle);
    if (NT_SUCCESS(status)) {
        status = rename_once(handle, &information);
        CloseHandle(handle);
    }
    return ws_windows_errno_of(status);
}

/* Renames a file that cannot be replaced to the name of a temporary file. That works even while the file is open or
 * mapped. */
static void
move_aside(int directory, const char *name)
{
    char aside[64];

    snprintf(aside, sizeof aside, "%016" PRIx64 "-%016" PRIx64 ".temporary", ws_random_id(), ws_random_id());
    if (rename_now(ws_windows_handle(directory), name, aside) == 0) ws_file_remove_at(directory, aside);
}

int
ws_file_rename_at(int directory, const char *name, const char *new_name)
{
    HANDLE folder = ws_windows_handle(directory);

    if (folder == INVALID_HANDLE_VALUE) return EBADF;
    int error_number = rename_now(folder, name, new_name);
    for (int tries = 1; is_held(error_number) && tries <= TRIES; tries++) {
        if (tries == TRIES) move_aside(directory, new_name);
        else ws_thread_sleep(PAUSE);
        error_number = rename_now(folder, name, new_name);
    }
    return error_number;
}

static NTSTATUS
remove_once(HANDLE handle)
{
    IO_STATUS_BLOCK block;
    ULONG flags = DISPOSITION_DELETES | DISPOSITION_LIKE_POSIX | DISPOSITION_ALSO_READ_ONLY;
    BOOLEAN yes = TRUE;

    NTSTATUS status = NtSetInformationFile(handle, &block, &flags, sizeof flags, FILE_DISPOSITION_INFORMATION_EX_CLASS);
    return is_unknown(status)
               ? NtSetInformationFile(handle, &block, &yes, sizeof yes, FILE_DISPOSITION_INFORMATION_CLASS)
               : status;
}

int
ws_file_remove_at(int directory, const char *name)
{
    HANDLE handle, folder = ws_windows_handle(directory);

    if (folder == INVALID_HANDLE_VALUE) return EBADF;
    NTSTATUS status =
        ws_windows_open_at(folder, name, DELETE, FILE_OPEN, FILE_NON_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT, &handle);
    if (NT_SUCCESS(status)) {
        status = remove_once(handle);
        CloseHandle(handle);
    }
    return ws_windows_errno_of(status);
}

int
ws_file_touch_at(int directory, const char *name)
{
    HANDLE handle, folder = ws_windows_handle(directory);
    FILETIME now;

    if (folder == INVALID_HANDLE_VALUE) return EBADF;
    NTSTATUS status =
        ws_windows_open_at(folder, name, FILE_WRITE_ATTRIBUTES, FILE_OPEN, FILE_OPEN_REPARSE_POINT, &handle);
    if (!NT_SUCCESS(status)) return ws_windows_errno_of(status);
    GetSystemTimeAsFileTime(&now);
    int error_number = SetFileTime(handle, NULL, NULL, &now) ? 0 : ws_windows_errno(GetLastError());
    CloseHandle(handle);
    return error_number;
}

/* ---- listing ---- */

enum { LISTING_SIZE = 32768 };

/* A name that is not valid text cannot be opened by name either, so it is left out. */
static void
tell_names(const uint8_t *block, ws_name_callback callback, void *data)
{
    const FILE_ID_BOTH_DIR_INFO *found;

    for (const uint8_t *at = block;; at += found->NextEntryOffset) {
        char name[4 * 256];
        found = (const FILE_ID_BOTH_DIR_INFO *)(const void *)at;
        size_t size = ws_windows_text(name, sizeof name, found->FileName, found->FileNameLength / sizeof(WCHAR));
        if (size > 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) callback(data, name);
        if (found->NextEntryOffset == 0) return;
    }
}

int
ws_file_each_name(int directory, ws_name_callback callback, void *data)
{
    HANDLE handle = ws_windows_handle(directory);
    FILE_INFO_BY_HANDLE_CLASS class = FileIdBothDirectoryRestartInfo;

    if (handle == INVALID_HANDLE_VALUE) return EBADF;
    uint8_t *block = malloc(LISTING_SIZE);
    if (!block) return ENOMEM;
    while (GetFileInformationByHandleEx(handle, class, block, LISTING_SIZE)) {
        tell_names(block, callback, data);
        class = FileIdBothDirectoryInfo;
    }
    DWORD error = GetLastError();
    free(block);
    return error == ERROR_NO_MORE_FILES || error == ERROR_FILE_NOT_FOUND ? 0 : ws_windows_errno(error);
}

bool
ws_file_folders_have_times(const char *path)
{
    int descriptor;

    if (ws_file_open(path, WS_OPEN_DIRECTORY, &descriptor) != 0) return false;
    bool known = !ws_file_is_remote(descriptor) && ws_windows_keeps_times(ws_windows_handle(descriptor));
    ws_file_close(descriptor);
    return known;
}

/* ---- locks: they lock one byte far beyond the end, so that the file itself can be read and removed ---- */

static OVERLAPPED
lock_place(void)
{
    OVERLAPPED place;

    memset(&place, 0, sizeof place);
    place.Offset = 0x7ffffffe;
    return place;
}

int
ws_file_lock(int descriptor, bool wait)
{
    HANDLE handle = ws_windows_handle(descriptor);
    OVERLAPPED place = lock_place();

    if (handle == INVALID_HANDLE_VALUE) return EBADF;
    if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | (wait ? 0 : LOCKFILE_FAIL_IMMEDIATELY), 0, 1, 0, &place)) return 0;
    return ws_windows_errno(GetLastError());
}

void
ws_file_unlock(int descriptor)
{
    OVERLAPPED place = lock_place();

    UnlockFileEx(ws_windows_handle(descriptor), 0, 1, 0, &place);
}

/* ---- where is it? ---- */

/* A mapping of a remote file may fault at any time. The system names a remote protocol only for remote files. */
bool
ws_file_is_remote(int descriptor)
{
    FILE_REMOTE_PROTOCOL_INFO protocol;
    WCHAR path[WS_WIDE_PATH_MAXIMUM];
    HANDLE handle = ws_windows_handle(descriptor);

    if (handle == INVALID_HANDLE_VALUE) return true;
    if (GetFileInformationByHandleEx(handle, FileRemoteProtocolInfo, &protocol, sizeof protocol)) return true;
    DWORD size = GetFinalPathNameByHandleW(handle, path, WS_WIDE_PATH_MAXIMUM, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    return size < 7 || size >= WS_WIDE_PATH_MAXIMUM || path[5] != L':'; /* "\\?\UNC\" instead of "\\?\C:\" */
}
#endif

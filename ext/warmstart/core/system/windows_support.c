/* Helpers for the Windows parts of the core: windows_support.h documents them. */
#ifdef _WIN32
#include "core/system/windows_support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/path/path.h"

/* This is from winerror.h; older headers of MinGW lack it. */
#ifndef ERROR_STOPPED_ON_SYMLINK
#define ERROR_STOPPED_ON_SYMLINK 681L
#endif

/* ---- paths ---- */

static void
prefix(ws_wide_path *wide, const WCHAR *text, size_t text_size, size_t dropped)
{
    memmove(wide->text + text_size, wide->text + dropped, (wide->size - dropped + 1) * sizeof(WCHAR));
    memcpy(wide->text, text, text_size * sizeof(WCHAR));
    wide->size = wide->size - dropped + text_size;
}

int
ws_windows_path(ws_wide_path *wide, const char *path)
{
    /* This leaves room for a prefix of eight characters. */
    int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide->text, WS_WIDE_PATH_MAXIMUM - 8);
    if (size <= 1) return size == 1 ? ENOENT : GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EINVAL;
    wide->size = (size_t)size - 1;

    /* A path that Windows' own rules leave as it is need not be given to them. */
    if (ws_path_rules_windows.is_settled(path, strlen(path))) {
        for (size_t at = 0; at < wide->size; at++)
            if (wide->text[at] == L'/') wide->text[at] = L'\\';
    }
    else {
        WCHAR given[WS_WIDE_PATH_MAXIMUM];
        memcpy(given, wide->text, (wide->size + 1) * sizeof(WCHAR));
        DWORD full = GetFullPathNameW(given, WS_WIDE_PATH_MAXIMUM - 8, wide->text, NULL);
        if (full == 0) return ws_windows_errno(GetLastError());
        if (full >= WS_WIDE_PATH_MAXIMUM - 8) return ENAMETOOLONG;
        wide->size = full;
    }
    if (wide->size >= 4 && wide->text[0] == L'\\' && wide->text[1] == L'\\' && wide->text[2] == L'?' &&
        wide->text[3] == L'\\')
        return 0;
    if (wide->size >= 4 && wide->text[0] == L'\\' && wide->text[1] == L'\\' && wide->text[2] == L'.')
        return EINVAL; /* a device */
    if (wide->size >= 2 && wide->text[0] == L'\\' && wide->text[1] == L'\\') prefix(wide, L"\\\\?\\UNC\\", 8, 2);
    else prefix(wide, L"\\\\?\\", 4, 0);
    return 0;
}

size_t
ws_windows_text(char *buffer, size_t buffer_size, const WCHAR *wide, size_t wide_size)
{
    if (wide_size == 0 || buffer_size == 0) return 0;
    int size = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, (int)wide_size, buffer, (int)buffer_size - 1,
                                   NULL, NULL);
    if (size <= 0) return 0;
    buffer[size] = '\0';
    return (size_t)size;
}

/* ---- errors ---- */

int
ws_windows_errno(DWORD error)
{
    switch (error) {
        case ERROR_SUCCESS: return 0;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
        case ERROR_INVALID_DRIVE:
        case ERROR_BAD_NETPATH:
        case ERROR_BAD_NET_NAME:
        case ERROR_BAD_PATHNAME:
        case ERROR_DELETE_PENDING: return ENOENT;
        case ERROR_DIRECTORY: return ENOTDIR;
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS: return EEXIST;
        case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
        case ERROR_INVALID_HANDLE: return EBADF;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
        case ERROR_COMMITMENT_LIMIT: return ENOMEM;
        case ERROR_DISK_FULL:
        case ERROR_HANDLE_DISK_FULL: return ENOSPC;
        case ERROR_LOCK_VIOLATION:
        case ERROR_IO_PENDING: return EWOULDBLOCK;
        case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
        case ERROR_CANT_RESOLVE_FILENAME:
        case ERROR_STOPPED_ON_SYMLINK: return ELOOP;
        case ERROR_DIR_NOT_EMPTY: return ENOTEMPTY;
        case ERROR_NOT_SAME_DEVICE: return EXDEV;
        case ERROR_INVALID_PARAMETER:
        case ERROR_NOT_SUPPORTED:
        case ERROR_INVALID_FUNCTION: return EINVAL;
        case ERROR_NOACCESS: return EFAULT;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
        case ERROR_WRITE_PROTECT:
        case ERROR_USER_MAPPED_FILE: return EACCES;
        default: return EIO;
    }
}

int
ws_windows_errno_of(NTSTATUS status)
{
    return NT_SUCCESS(status) ? 0 : ws_windows_errno(RtlNtStatusToDosError(status));
}

/* ---- handles ---- */

NTSTATUS
ws_windows_open_wide(HANDLE directory, WCHAR *name, size_t size, ACCESS_MASK access, ULONG disposition, ULONG options,
                     HANDLE *handle)
{
    UNICODE_STRING text = { (USHORT)(size * sizeof(WCHAR)), (USHORT)(size * sizeof(WCHAR)), name };
    const ULONG share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    IO_STATUS_BLOCK status;
    OBJECT_ATTRIBUTES attributes;

    InitializeObjectAttributes(&attributes, &text, OBJ_CASE_INSENSITIVE, directory, NULL);
    return NtCreateFile(handle, access | SYNCHRONIZE, &attributes, &status, NULL, FILE_ATTRIBUTE_NORMAL, share,
                        disposition, options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT, NULL, 0);
}

NTSTATUS
ws_windows_open_at(HANDLE directory, const char *name, ACCESS_MASK access, ULONG disposition, ULONG options,
                   HANDLE *handle)
{
    int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, NULL, 0);
    WCHAR *wide = size > 0 ? malloc((size_t)size * sizeof *wide) : NULL;

    if (!wide) return size > 0 ? (NTSTATUS)STATUS_NO_MEMORY : (NTSTATUS)0xC0000033; /* STATUS_OBJECT_NAME_INVALID */
    MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, size);
    for (WCHAR *at = wide; *at; at++)
        if (*at == L'/') *at = L'\\';
    NTSTATUS status = ws_windows_open_wide(directory, wide, (size_t)size - 1, access, disposition, options, handle);
    free(wide);
    return status;
}

/* ---- metadata ---- */

#define TICKS_BEFORE_1970 INT64_C(116444736000000000)

int64_t
ws_windows_time(LARGE_INTEGER time)
{
    return (int64_t)(((uint64_t)time.QuadPart - (uint64_t)TICKS_BEFORE_1970) * 100u);
}

/* Windows has many kinds of reparse points. Ruby takes these two for symlinks. */
ws_file_type
ws_windows_type(DWORD attributes, DWORD reparse_tag)
{
    if (attributes & FILE_ATTRIBUTE_REPARSE_POINT &&
        (reparse_tag == IO_REPARSE_TAG_SYMLINK || reparse_tag == IO_REPARSE_TAG_MOUNT_POINT))
        return WS_TYPE_SYMLINK;
    if (attributes & FILE_ATTRIBUTE_DIRECTORY) return WS_TYPE_DIRECTORY;
    return attributes & FILE_ATTRIBUTE_DEVICE ? WS_TYPE_OTHER : WS_TYPE_REGULAR;
}

void
ws_windows_fill_type(ws_stat *stat, DWORD attributes, DWORD reparse_tag)
{
    static const uint32_t modes[] = { [WS_TYPE_REGULAR] = 0100644,
                                      [WS_TYPE_DIRECTORY] = 0040755,
                                      [WS_TYPE_SYMLINK] = 0120777,
                                      [WS_TYPE_OTHER] = 0020644 };

    stat->type = ws_windows_type(attributes, reparse_tag);
    stat->mode = stat->type == WS_TYPE_REGULAR && (attributes & FILE_ATTRIBUTE_READONLY) ? 0100444 : modes[stat->type];
    if (attributes & FILE_ATTRIBUTE_DIRECTORY) stat->size = 0;
}

#define REMOTE_DEVICE 0x10u  /* FILE_REMOTE_DEVICE */
#define DEVICE_INFORMATION 4 /* FileFsDeviceInformation */

bool
ws_windows_keeps_times(HANDLE handle)
{
    struct {
        ULONG type, characteristics;
    } device = { 0, 0 };
    IO_STATUS_BLOCK block;
    WCHAR name[32];

    if (!NT_SUCCESS(NtQueryVolumeInformationFile(handle, &block, &device, sizeof device, DEVICE_INFORMATION)))
        return false;
    if (device.characteristics & REMOTE_DEVICE) return false;
    if (!GetVolumeInformationByHandleW(handle, NULL, 0, NULL, NULL, NULL, name, sizeof name / sizeof *name))
        return false;
    return wcscmp(name, L"NTFS") == 0 || wcscmp(name, L"ReFS") == 0;
}
#endif

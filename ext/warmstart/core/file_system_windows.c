/* Folders on Windows, for the walk and the scanner. */
#ifdef _WIN32
#include "windows_support.h"

#include <errno.h>
#include <sys/stat.h>

#include "file_system.h"

const bool ws_owners_are_sids = true;

int ws_folder_open(ws_folder beside, const char *name, bool follow, ws_folder *folder)
{
    ws_open_kind kind = follow ? WS_OPEN_DIRECTORY : WS_OPEN_DIRECTORY_ITSELF;
    HANDLE handle = INVALID_HANDLE_VALUE;

    int error_number = beside == WS_FOLDER_CURRENT ? ws_windows_open(name, kind, &handle) : ws_windows_open_below((HANDLE)beside, name, kind, &handle);
    *folder = error_number == 0 ? (ws_folder)handle : WS_FOLDER_NONE;
    return error_number;
}

void ws_folder_close(ws_folder folder)
{
    if (folder != WS_FOLDER_NONE && folder != WS_FOLDER_CURRENT) CloseHandle((HANDLE)folder);
}

static int add(void *data, const ws_windows_entry *entry)
{
    static const ws_listed_type types[] = {
        [WS_TYPE_OTHER] = WS_LISTED_CHARACTER, [WS_TYPE_REGULAR] = WS_LISTED_FILE, [WS_TYPE_DIRECTORY] = WS_LISTED_DIRECTORY, [WS_TYPE_SYMLINK] = WS_LISTED_LINK,
    };
    ws_listing *listing = data;

    return ws_listing_add(listing, entry->name, entry->name_size, types[ws_windows_type(entry->attributes, entry->reparse_tag)]) ? 0 : ENOMEM;
}

int ws_folder_list(ws_folder folder, ws_listing *listing)
{
    return ws_windows_list((HANDLE)folder, add, listing);
}

int ws_folder_stat(ws_folder folder, ws_stat *stat)
{
    return ws_windows_stat((HANDLE)folder, stat);
}

int ws_folder_stat_name(ws_folder folder, const char *name, bool follow, uint32_t fields, ws_stat *stat)
{
    HANDLE handle;

    (void)fields;
    if (folder == WS_FOLDER_CURRENT) return follow ? ws_file_stat_whole(name, stat) : ws_file_stat_link(name, stat);
    NTSTATUS status = ws_windows_open_at((HANDLE)folder, name, FILE_READ_ATTRIBUTES, FILE_OPEN, follow ? 0 : FILE_OPEN_REPARSE_POINT, &handle);
    if (!NT_SUCCESS(status)) return ws_windows_errno_of(status);
    int error_number = ws_windows_stat(handle, stat);
    CloseHandle(handle);
    return error_number;
}

int ws_access_get(const char *path, bool follow, uint32_t fields, ws_access *access)
{
    (void)path, (void)follow, (void)fields, (void)access;
    return ENOSYS;
}

int64_t ws_clock_now(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (int64_t)((double)count.QuadPart * 1e9 / (double)frequency.QuadPart);
}

uint32_t ws_processor_count(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? info.dwNumberOfProcessors : 1;
}
#endif

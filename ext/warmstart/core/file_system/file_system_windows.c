/* Folders on Windows. One call returns a block of names with type, size, times and file id (FileIdBothDirectoryInfo),
 * so that no handle is opened for any file. With a handle for each, 3,500 files take seconds under a virus scanner.
 * Link counts, owners and access lists are not included: only callers that ask for these pay for handles.
 *
 * Names are in UTF-8 here, with "/" or "\". Symlinks and junctions are links. Other reparse points count as what they
 * stand for. */
#ifdef _WIN32
#include "core/system/windows_support.h"

#include <aclapi.h>
#include <sddl.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file_system/file_system.h"

#define BLOCK_SIZE 65536
#define NAME_SIZE 1024 /* 255 units of UTF-16 are at most 765 bytes */

const bool ws_owners_are_sids = true;
const bool ws_listings_tell_metadata = true;

static int
last_errno(void)
{
    return ws_windows_errno(GetLastError());
}

/* ---- Handles ---- */

void
ws_folder_close(ws_folder folder)
{
    if (folder != WS_FOLDER_NONE && folder != WS_FOLDER_CURRENT) CloseHandle((HANDLE)folder);
}

static int
open_name(ws_folder beside, const char *name, bool follow, DWORD access, ULONG options, HANDLE *handle)
{
    if (beside == WS_FOLDER_CURRENT) return ws_windows_open_path(name, follow, access, handle);
    return ws_windows_errno_of(ws_windows_open_at((HANDLE)beside, name, access, FILE_OPEN,
                                                  options | (follow ? 0 : FILE_OPEN_REPARSE_POINT), handle));
}

int
ws_folder_open(ws_folder beside, const char *name, bool follow, ws_folder *folder)
{
    HANDLE handle;
    FILE_ATTRIBUTE_TAG_INFO tag;
    int error_number =
        open_name(beside, name, follow, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, FILE_DIRECTORY_FILE, &handle);

    *folder = WS_FOLDER_NONE;
    if (error_number != 0) return error_number;
    if (!GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag)) error_number = last_errno();
    else if (!follow && ws_windows_type(tag.FileAttributes, tag.ReparseTag) == WS_TYPE_SYMLINK) error_number = ELOOP;
    else if (!(tag.FileAttributes & FILE_ATTRIBUTE_DIRECTORY)) error_number = ENOTDIR;
    if (error_number == 0) *folder = (ws_folder)handle;
    else CloseHandle(handle);
    return error_number;
}

/* ---- Listing ---- */

enum {
    KNOWN_FROM_LISTING =
        WS_FIELDS_IN_ROW | WS_FIELD_CTIME | WS_FIELD_INODE | WS_FIELD_MODE | WS_FIELD_OWNER /* by ws_access_get */
};

static bool
is_dots(const FILE_ID_BOTH_DIR_INFO *record)
{
    size_t size = record->FileNameLength / sizeof(WCHAR);
    return record->FileName[0] == L'.' && (size == 1 || (size == 2 && record->FileName[1] == L'.'));
}

static int
add_record(ws_listing *listing, const FILE_ID_BOTH_DIR_INFO *record, uint64_t device)
{
    char name[NAME_SIZE];
    bool plain = !(record->FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
    DWORD tag = plain ? 0 : record->EaSize;
    int size = WideCharToMultiByte(CP_UTF8, 0, record->FileName, (int)(record->FileNameLength / sizeof(WCHAR)), name,
                                   sizeof name, NULL, NULL);
    ws_stat stat = { .device = device,
                     .inode = (uint64_t)record->FileId.QuadPart,
                     .size = (uint64_t)record->EndOfFile.QuadPart,
                     .mtime = ws_windows_time(record->LastWriteTime),
                     .ctime = ws_windows_time(record->ChangeTime) };

    if (size <= 0) return EIO;
    ws_windows_fill_type(&stat, record->FileAttributes, tag);
    if (!ws_listing_add(listing, name, (size_t)size, WS_LISTED_UNKNOWN)) return ENOMEM;
    ws_listing_fill(listing, listing->count - 1, &stat,
                    KNOWN_FROM_LISTING | WS_FIELD_DEVICE | (plain ? WS_ROW_IS_PLAIN : 0));
    return 0;
}

static int
add_block(ws_listing *listing, uint64_t device)
{
    for (const char *at = listing->block;;) {
        const FILE_ID_BOTH_DIR_INFO *record = (const FILE_ID_BOTH_DIR_INFO *)(const void *)at;
        int error_number = is_dots(record) ? 0 : add_record(listing, record, device);
        if (error_number != 0 || record->NextEntryOffset == 0) return error_number;
        at += record->NextEntryOffset;
    }
}

/* All names of a folder are on its volume, so this asks once per folder, and only if somebody wants to know. */
static int
device_of(ws_folder folder, const ws_listing *listing, uint64_t *device)
{
    ws_stat stat = { .device = 0 };
    int error_number = listing->fields & WS_FIELD_DEVICE ? ws_folder_stat(folder, &stat) : 0;

    *device = stat.device;
    return error_number;
}

int
ws_folder_list(ws_folder folder, ws_listing *listing)
{
    FILE_INFO_BY_HANDLE_CLASS class = FileIdBothDirectoryRestartInfo;
    uint64_t device;
    int error_number = device_of(folder, listing, &device);

    if (error_number == 0 && !listing->block && !(listing->block = malloc(BLOCK_SIZE))) return ENOMEM;
    while (error_number == 0) {
        if (ws_is_set(listing->cancelled)) return EINTR;
        if (!GetFileInformationByHandleEx((HANDLE)folder, class, listing->block, BLOCK_SIZE)) {
            DWORD error = GetLastError();
            return error == ERROR_NO_MORE_FILES || error == ERROR_FILE_NOT_FOUND ? 0 : ws_windows_errno(error);
        }
        class = FileIdBothDirectoryInfo;
        error_number = add_block(listing, device);
        if (listing->limit > 0 && listing->count >= listing->limit) break;
    }
    return error_number;
}

/* NTFS and ReFS bring listings up to date when a handle with which somebody has written is closed. */
bool
ws_folder_listing_is_exact(ws_folder folder)
{
    return ws_windows_keeps_times((HANDLE)folder);
}

/* ---- One name ---- */

int
ws_folder_stat(ws_folder folder, ws_stat *stat)
{
    return ws_windows_stat((HANDLE)folder, stat);
}

/* Asks for type, size and mtime without a handle. Returns false if this does not work, as for a link. */
static bool
stat_quickly(const char *path, ws_stat *stat, int *error_number)
{
    WIN32_FILE_ATTRIBUTE_DATA data;
    ws_wide_path wide_path;
    *error_number = ws_windows_path(&wide_path, path);
    if (*error_number != 0) return true;

    bool told = GetFileAttributesExW(wide_path.text, GetFileExInfoStandard, &data);
    if (!told) *error_number = last_errno();
    if (!told) return *error_number == ENOENT || *error_number == ENOTDIR;
    if (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) return false;
    LARGE_INTEGER mtime = { .u = { data.ftLastWriteTime.dwLowDateTime, (LONG)data.ftLastWriteTime.dwHighDateTime } };
    *stat =
        (ws_stat){ .size = (uint64_t)data.nFileSizeHigh << 32 | data.nFileSizeLow, .mtime = ws_windows_time(mtime) };
    ws_windows_fill_type(stat, data.dwFileAttributes, 0);
    *error_number = 0;
    return true;
}

int
ws_folder_stat_name(ws_folder folder, const char *name, bool follow, uint32_t fields, ws_stat *stat)
{
    HANDLE handle;
    int error_number = 0;
    bool few = !(fields & ~(uint32_t)(WS_FIELDS_IN_ROW | WS_FIELD_MODE | WS_FIELD_OWNER | WS_FIELD_ACL));

    if (few && folder == WS_FOLDER_CURRENT && stat_quickly(name, stat, &error_number)) return error_number;
    error_number = open_name(folder, name, follow, FILE_READ_ATTRIBUTES, 0, &handle);
    if (error_number != 0) return error_number;
    error_number = ws_windows_stat(handle, stat);
    CloseHandle(handle);
    return error_number;
}

int
ws_folder_stat_named(ws_folder folder, const char *name, ws_stat *stat)
{
    int error_number = ws_folder_stat_name(folder, name, false, WS_FIELDS_OF_FILES, stat);

    if (error_number != 0 || stat->type != WS_TYPE_SYMLINK) return error_number;
    error_number = ws_folder_stat_name(folder, name, true, WS_FIELDS_OF_FILES, stat);
    stat->is_link = true;
    return error_number;
}

/* ---- Owners and access lists ---- */

static char *
copy_text(char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text) LocalFree(text);
    return copy;
}

static char *
sid_text(PSID sid)
{
    char *text = NULL;
    return sid && ConvertSidToStringSidA(sid, &text) ? copy_text(text) : NULL;
}

int
ws_access_get(const char *path, bool follow, uint32_t fields, ws_access *access)
{
    SECURITY_INFORMATION wanted = OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION |
                                  (fields & WS_FIELD_ACL ? DACL_SECURITY_INFORMATION : 0);
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL, group = NULL;
    HANDLE handle;
    char *text = NULL;
    int error_number = ws_windows_open_path(path, follow, READ_CONTROL, &handle);

    if (error_number != 0) return error_number;
    DWORD error = GetSecurityInfo(handle, SE_FILE_OBJECT, wanted, &owner, &group, NULL, NULL, &descriptor);
    if (error == ERROR_SUCCESS) {
        access->owner = sid_text(owner);
        access->group = sid_text(group);
        if ((fields & WS_FIELD_ACL) && ConvertSecurityDescriptorToStringSecurityDescriptorA(
                                           descriptor, SDDL_REVISION_1, DACL_SECURITY_INFORMATION, &text, NULL)) {
            access->acl = copy_text(text);
        }
        LocalFree(descriptor);
    }
    CloseHandle(handle);
    return error == ERROR_SUCCESS ? 0 : ws_windows_errno(error);
}

/* ---- The machine ---- */

uint32_t
ws_processor_count(void)
{
    SYSTEM_INFO system;

    GetSystemInfo(&system);
    return system.dwNumberOfProcessors > 0 ? (uint32_t)system.dwNumberOfProcessors : 1;
}
#endif

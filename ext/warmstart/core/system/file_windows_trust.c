/* Owners and rights on Windows, in the form that the trust rules use. The owner is 0 if it is somebody whose code runs
 * in this process anyway (this user, the system, the administrators, the installer of Windows), and 1 otherwise. The
 * write bits of "group and others" are set if the access list lets anybody else change the object.
 *
 * We read the access list ourselves rather than ask the system what it grants, and we ignore its denials, so that the
 * answer errs on the safe side. Folders of ours get an access list of their own that inherits nothing, because below
 * C:\ every user may write by default. */
#ifdef _WIN32
#include "core/system/windows_support.h"

#include <aclapi.h>
#include <errno.h>
#include <sddl.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The rights to change the object or its contents, or to change who may do so. */
#define WRITING                                                                                                  \
    (FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | \
     GENERIC_ALL)

enum { OWNER_TRUSTED = 0, OWNER_OTHER = 1 };

/* On Windows, no program gets the rights of its file's owner. */
bool
ws_file_is_privileged(void)
{
    return false;
}

uint32_t
ws_file_user(void)
{
    return OWNER_TRUSTED;
}

/* ws_file_stat_trust reports an unknown owner as OWNER_OTHER. */
bool
ws_file_owner_is_known(uint32_t owner)
{
    (void)owner;
    return true;
}

bool
ws_file_is_private(const ws_stat *stat)
{
    return (stat->mode & 0022) == 0;
}

/* ---- who is who ---- */

typedef struct known_user {
    __attribute__((aligned(8))) BYTE bytes[SECURITY_MAX_SID_SIZE];
    bool known;
} known_user;

/* The user of this process. A thread that impersonates another user makes no difference. */
static bool
process_user(known_user *user)
{
    __attribute__((aligned(8))) BYTE information[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    HANDLE token;
    DWORD size;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return false;
    bool known = GetTokenInformation(token, TokenUser, information, sizeof information, &size);
    CloseHandle(token);
    return known && CopySid(sizeof user->bytes, user->bytes, ((const TOKEN_USER *)(const void *)information)->User.Sid);
}

/* NT SERVICE\TrustedInstaller, which owns the files of Windows itself. */
static bool
is_installer(PSID sid)
{
    static const DWORD authorities[] = { 80, 956008885, 3418522649, 1831038044, 1853292631, 2271478464 };

    if (*GetSidSubAuthorityCount(sid) != 6) return false;
    for (DWORD i = 0; i < 6; i++)
        if (*GetSidSubAuthority(sid, i) != authorities[i]) return false;
    return true;
}

/* Is this a user whose code runs in this process anyway, or who could make it run? */
static bool
is_trusted(PSID sid, const known_user *user)
{
    if (!sid || !IsValidSid(sid)) return false;
    if (user->known && EqualSid(sid, (PSID)user->bytes)) return true;
    return IsWellKnownSid(sid, WinLocalSystemSid) || IsWellKnownSid(sid, WinBuiltinAdministratorsSid) ||
           is_installer(sid);
}

/* True also for the identities that stand for the owner, because the owner is checked separately. */
static bool
may_write(PSID sid, const known_user *user)
{
    if (is_trusted(sid, user)) return true;
    return sid && IsValidSid(sid) &&
           (IsWellKnownSid(sid, WinCreatorOwnerSid) || IsWellKnownSid(sid, WinCreatorOwnerRightsSid));
}

/* ---- access lists ---- */

/* Does the list let anybody write who is not trusted? A missing list lets everybody write. */
static bool
lets_others_write(PACL list, const known_user *user)
{
    ACL_SIZE_INFORMATION size;

    if (!list || !GetAclInformation(list, &size, sizeof size, AclSizeInformation)) return true;
    for (DWORD i = 0; i < size.AceCount; i++) {
        void *found;
        if (!GetAce(list, i, &found)) return true;
        const ACE_HEADER *header = found;
        if (header->AceFlags & INHERIT_ONLY_ACE)
            continue; /* this entry applies only to what is made in the folder, and that is checked when it is opened */
        if (header->AceType == ACCESS_DENIED_ACE_TYPE || header->AceType == SYSTEM_MANDATORY_LABEL_ACE_TYPE) continue;
        const ACCESS_ALLOWED_ACE *entry = found;
        if (!(entry->Mask & WRITING)) continue;
        if (header->AceType != ACCESS_ALLOWED_ACE_TYPE || !may_write((PSID)&entry->SidStart, user)) return true;
    }
    return false;
}

int
ws_file_stat_trust(int descriptor, ws_stat *stat)
{
    PSECURITY_DESCRIPTOR security = NULL;
    PSID owner = NULL;
    PACL list = NULL;
    known_user user;

    int error_number = ws_file_stat_descriptor(descriptor, stat);
    if (error_number != 0) return error_number;
    DWORD error =
        GetSecurityInfo(ws_windows_handle(descriptor), SE_FILE_OBJECT,
                        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL, &list, NULL, &security);
    if (error != ERROR_SUCCESS) return ws_windows_errno(error);
    user.known = process_user(&user);
    stat->owner = is_trusted(owner, &user) ? OWNER_TRUSTED : OWNER_OTHER;
    if (lets_others_write(list, &user)) stat->mode |= 0022;
    LocalFree(security);
    return 0;
}

int
ws_file_foreign_owner(const char *path, char *text, size_t size)
{
    ws_wide_path wide;
    PSECURITY_DESCRIPTOR security = NULL;
    PSID owner = NULL;
    LPSTR name = NULL;
    known_user user;

    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    DWORD error = GetNamedSecurityInfoW(wide.text, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL,
                                        &security);
    if (error != ERROR_SUCCESS) return ws_windows_errno(error);
    user.known = process_user(&user);
    text[0] = '\0';
    if (!is_trusted(owner, &user)) {
        if (!owner || !ConvertSidToStringSidA(owner, &name) || strlen(name) >= size) error_number = EINVAL;
        else strcpy(text, name);
        LocalFree(name);
    }
    LocalFree(security);
    return error_number;
}

bool
ws_file_group_is_meant(int descriptor)
{
    (void)descriptor;
    return false;
}

/* ---- lists of our own ---- */

/* All rights for this user, the system and the administrators; reading for everybody if public_read; nothing inherited.
 * The caller frees it with LocalFree. NULL with the system's error after a failure. */
static PSECURITY_DESCRIPTOR
own_security(bool folder, bool public_read)
{
    WCHAR text[512];
    PSECURITY_DESCRIPTOR security = NULL;
    known_user user;
    LPWSTR name = NULL;
    const WCHAR *heirs = folder ? L"OICI" : L"";

    if (!process_user(&user) || !ConvertSidToStringSidW((PSID)user.bytes, &name)) return NULL;
    _snwprintf(text, sizeof text / sizeof *text, L"D:P(A;%ls;FA;;;%ls)(A;%ls;FA;;;SY)(A;%ls;FA;;;BA)", heirs, name,
               heirs, heirs);
    LocalFree(name);
    if (public_read) {
        size_t size = wcslen(text);
        _snwprintf(text + size, sizeof text / sizeof *text - size, L"(A;%ls;0x1200a9;;;WD)", heirs);
    }
    text[sizeof text / sizeof *text - 1] = L'\0';
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &security, NULL) ? security
                                                                                                        : NULL;
}

int
ws_file_make_directory(int parent, const char *path, bool public_read)
{
    ws_wide_path wide;

    (void)parent;
    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    PSECURITY_DESCRIPTOR security = own_security(true, public_read);
    if (!security) return ws_windows_errno(GetLastError());
    SECURITY_ATTRIBUTES attributes = { sizeof attributes, security, FALSE };
    if (!CreateDirectoryW(wide.text, &attributes)) error_number = ws_windows_errno(GetLastError());
    LocalFree(security);
    return error_number;
}

int
ws_file_make_plain_directory(int parent, const char *path)
{
    ws_wide_path wide;

    (void)parent;
    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    return CreateDirectoryW(wide.text, NULL) ? 0 : ws_windows_errno(GetLastError());
}

static int
set_security(HANDLE handle, bool folder, bool public_read)
{
    BOOL present, defaulted;
    PACL list;

    PSECURITY_DESCRIPTOR security = own_security(folder, public_read);
    if (!security) return ws_windows_errno(GetLastError());
    DWORD error = ERROR_SUCCESS;
    if (!GetSecurityDescriptorDacl(security, &present, &list, &defaulted)) error = GetLastError();
    else
        error = SetSecurityInfo(handle, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                                NULL, NULL, list, NULL);
    LocalFree(security);
    return ws_windows_errno(error);
}

int
ws_file_set_public(int descriptor, bool public_read)
{
    return set_security(ws_windows_handle(descriptor), false, public_read);
}

/* The folder was opened for reading, so the list is changed through a second handle. */
int
ws_file_open_up(int descriptor, const ws_stat *stat)
{
    HANDLE handle = ReOpenFile(ws_windows_handle(descriptor), WRITE_DAC | READ_CONTROL,
                               FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, FILE_FLAG_BACKUP_SEMANTICS);

    (void)stat;
    if (handle == INVALID_HANDLE_VALUE) return ws_windows_errno(GetLastError());
    int error_number = set_security(handle, true, true);
    CloseHandle(handle);
    return error_number;
}

/* Windows has no umask. */
int
ws_file_open_to_owner(int descriptor, const ws_stat *stat)
{
    (void)descriptor;
    (void)stat;
    return 0;
}
#endif

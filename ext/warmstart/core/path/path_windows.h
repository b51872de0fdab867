/* Between the files of the rules of Windows, all for UTF-8. */
#ifndef WARMSTART_CORE_PATH_WINDOWS_H
#define WARMSTART_CORE_PATH_WINDOWS_H

#include "core/path/path.h"

static inline bool
ws_windows_is_separator(char byte)
{
    return byte == '/' || byte == '\\';
}

static inline bool
ws_windows_is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static inline bool
ws_windows_is_unc(ws_text path)
{
    return path.size >= 2 && ws_windows_is_separator(path.bytes[0]) && ws_windows_is_separator(path.bytes[1]);
}

static inline ws_text
ws_text_from(ws_text text, size_t offset)
{
    return (ws_text){ text.bytes + offset, text.size - offset };
}

/* Bytes of a drive and its colon, or 0 if the path does not begin with a drive. Windows accepts as a drive any
 * character that is one unit of UTF-16, and so does this function. */
size_t ws_windows_drive_size(ws_text path);
/* Does Ruby call the path absolute? "C:/a" and "\\host\share" are. */
bool ws_windows_is_absolute(const char *path, size_t size);
/* Implements ws_path_rules.is_same (path_windows_full.c). */
bool ws_windows_is_same(ws_text one, ws_text other);
/* Does the name begin with the three letters of a device's name? Few names do. */
static inline bool
ws_windows_may_be_device(ws_text name)
{
    if (name.size < 3) return false;
    switch ((name.bytes[0] & 0xDF) << 16 | (name.bytes[1] & 0xDF) << 8 | (name.bytes[2] & 0xDF)) {
        case 'A' << 16 | 'U' << 8 | 'X':
        case 'C' << 16 | 'O' << 8 | 'M':
        case 'C' << 16 | 'O' << 8 | 'N': return true;
        case 'L' << 16 | 'P' << 8 | 'T':
        case 'N' << 16 | 'U' << 8 | 'L':
        case 'P' << 16 | 'R' << 8 | 'N': return true;
        default: return false;
    }
}
/* Does making the path absolute certainly leave it unchanged? This is true of most absolute names without dots. */
bool ws_windows_is_settled(const char *path, size_t size);
/* The device that the last part of a name means ("NUL", "con.txt", "C:/x/com1 :y"). Size 0 if it means none. */
ws_text ws_windows_device(ws_text name);
/* Implements ws_path_rules.full, as CRuby for Windows does it (path_windows_expand.c). */
ws_path_answer ws_windows_full(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base,
                               bool tilde, const ws_path_surroundings *surroundings);
/* Does what the system's GetFullPathNameW does (path_windows_full.c): makes the name in buffer[0, *size), which must
 * not be empty, absolute, with "/" as the only separator. */
ws_path_answer
ws_windows_full_name(char *buffer, size_t buffer_size, size_t *size, const ws_path_surroundings *surroundings);

#endif

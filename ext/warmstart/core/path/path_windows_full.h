/* What the system's GetFullPathNameW does with a name, without asking it. Who calls: path_windows_expand.c. */
#ifndef WARMSTART_CORE_PATH_WINDOWS_FULL_H
#define WARMSTART_CORE_PATH_WINDOWS_FULL_H

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

/* Bytes of a drive and its colon, 0 where the path does not begin with one. Windows takes any character for a drive
 * that is one unit of UTF-16; so does this. */
size_t ws_windows_drive_size(ws_text path);
/* "C:/a", "\\host\share": what Ruby calls absolute. */
bool ws_windows_is_absolute(const char *path, size_t size);
/* Has it the first three letters of a device's name? The last part of few names has. */
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
/* Does making it absolute leave it as it is? True: yes, certainly; most names that are absolute and have no dots. */
bool ws_windows_is_settled(const char *path, size_t size);
/* The device that a name means by its last part ("NUL", "con.txt", "C:/x/com1 :y"): size 0 where it means none. */
ws_text ws_windows_device(ws_text name);
/* buffer[0, *size) holds a name that is not empty; it becomes absolute, with "/" only. */
ws_path_answer
ws_windows_full_name(char *buffer, size_t buffer_size, size_t *size, const ws_path_surroundings *surroundings);

#endif

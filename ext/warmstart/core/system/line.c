/* Text for one line on a terminal: see line.h. */
#include "core/system/line.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/bytes/utf8.h"

/* U+2028 and U+2029 separate lines. The others change the direction of the text. */
static bool
is_plain(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return false;
    if (c == 0x061C || c == 0x200E || c == 0x200F) return false;
    return !(c >= 0x2028 && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069);
}

/* U+FFFD is returned for bytes that are not UTF-8, but the text may also contain it. */
static bool
is_meant(uint32_t c, const char *bytes, size_t size)
{
    return c != WS_REPLACEMENT_CHARACTER || (size == 3 && memcmp(bytes, "\xEF\xBF\xBD", 3) == 0);
}

static size_t
escape_byte(char to[5], unsigned char byte)
{
    if (byte == '\n') return (size_t)snprintf(to, 5, "\\n");
    return (size_t)snprintf(to, 5, "\\x%02X", byte);
}

size_t
ws_line_escape(char *to, size_t room, const char *text, size_t size)
{
    size_t length = 0;

    if (room == 0) return 0;
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t c;
        char piece[16];
        size_t piece_size = 0;
        step = ws_utf8_decode(text + at, size - at, &c);
        if (is_plain(c) && is_meant(c, text + at, step) && step <= sizeof piece)
            memcpy(piece, text + at, piece_size = step);
        else
            for (size_t i = 0; i < step && piece_size + 5 <= sizeof piece; i++)
                piece_size += escape_byte(piece + piece_size, (unsigned char)text[at + i]);
        if (length + piece_size >= room) break;
        memcpy(to + length, piece, piece_size);
        length += piece_size;
    }
    to[length] = '\0';
    return length;
}

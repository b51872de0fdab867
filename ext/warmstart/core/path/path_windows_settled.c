/* Recognizes, in one pass, names that the rules of Windows leave unchanged: most names that a program expands are
 * absolute and have no dots. path_windows_expand.c uses it, and so do the bindings, which then need no buffer for a
 * result. */
#include "core/path/path_windows.h"

#include <stdint.h>
#include <string.h>

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))
#define WORD_SIZE sizeof(uint64_t)

/* Sets the highest bit of each byte that equals `byte`, and no other bit. */
static inline uint64_t
equal(uint64_t word, unsigned char byte)
{
    uint64_t difference = word ^ EACH_BYTE(byte);

    return ~(((difference & EACH_BYTE(0x7F)) + EACH_BYTE(0x7F)) | difference | EACH_BYTE(0x7F));
}

/* Returns a value other than 0 if bytes[1, 8] contain a "\", a colon, a NUL, or a "/" after a dot or another "/". */
static inline uint64_t
unsettled(const char *bytes)
{
    uint64_t before, word;

    memcpy(&before, bytes, WORD_SIZE);
    memcpy(&word, bytes + 1, WORD_SIZE);
    return equal(word, '\\') | equal(word, ':') | equal(word, '\0') |
           (equal(word, '/') & (equal(before, '.') | equal(before, '/')));
}

/* Checks `size` bytes. The first one is only used as the byte before the second. */
static bool
is_written_plainly(const char *bytes, size_t size)
{
    uint64_t found = 0;
    size_t pairs = size - 1, offset = 0;

    if (pairs < WORD_SIZE) {
        char room[WORD_SIZE + 1];
        memset(room, 'a', sizeof room);
        memcpy(room, bytes, size);
        return unsettled(room) == 0;
    }
    for (; offset + WORD_SIZE <= pairs; offset += WORD_SIZE) found |= unsettled(bytes + offset);
    return (found | unsettled(bytes + pairs - WORD_SIZE)) == 0; /* some of the last bytes are checked twice */
}

bool
ws_windows_is_settled(const char *path, size_t size)
{
    if (size < 4 || !ws_windows_is_letter(path[0]) || path[1] != ':' || path[2] != '/') return false;
    char last = path[size - 1];
    if (last == '/' || last == '.' || last == ' ' || !is_written_plainly(path + 2, size - 2)) return false;
    size_t last_part = size;
    while (path[last_part - 1] != '/') last_part--;
    ws_text name = { path + last_part, size - last_part };
    return !ws_windows_may_be_device(name) || ws_windows_device(name).size == 0;
}

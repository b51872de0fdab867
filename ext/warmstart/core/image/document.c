/* The bytes of a stored document; see document.h. */
#include "core/image/document.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/vector.h"

void
ws_bytes_add(ws_bytes *bytes, const void *more, size_t size)
{
    if (bytes->failed || !size) return;
    if (!WS_RESERVE(bytes->start, bytes->capacity, bytes->size + size)) {
        bytes->failed = true;
        return;
    }
    memcpy(bytes->start + bytes->size, more, size);
    bytes->size += size;
}

void
ws_bytes_number(ws_bytes *bytes, uint64_t number)
{
    uint8_t text[10];
    size_t size = 0;
    for (; number > 0x7f; number >>= 7) text[size++] = (uint8_t)(number | 0x80);
    text[size++] = (uint8_t)number;
    ws_bytes_add(bytes, text, size);
}

void
ws_bytes_op(ws_bytes *bytes, ws_document_op op)
{
    uint8_t byte = (uint8_t)op;
    ws_bytes_add(bytes, &byte, 1);
}

void
ws_bytes_free(ws_bytes *bytes)
{
    free(bytes->start);
    memset(bytes, 0, sizeof *bytes);
}

/* Everything that the header counts takes at least one byte after it, so larger counts are refused. */
bool
ws_document_open(ws_document_input *input, ws_document_header *header, const void *bytes, size_t size)
{
    if (size < sizeof *header) return false;
    memcpy(header, bytes, sizeof *header);
    if (header->magic != WS_DOCUMENT_MAGIC || header->kind >= WS_DOCUMENT_KIND_COUNT) return false;
    size_t rest = size - sizeof *header;
    if (header->symbol_count > rest || header->string_count > rest || header->register_count > rest ||
        header->stack_size > rest)
        return false;
    *input = (ws_document_input){ (const uint8_t *)bytes + sizeof *header, (const uint8_t *)bytes + size, false };
    return true;
}

/* Do these bytes end with a byte order mark, or with a line break that YAML knows beyond ASCII (NEL, LS, PS)? */
static bool
ends_token(const char *bytes, size_t size)
{
    static const char *const marks[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t mark_size = strlen(marks[i]);
        if (size >= mark_size && memcmp(bytes + size - mark_size, marks[i], mark_size) == 0) return true;
    }
    return false;
}

static bool
is_inside_word(const char *bytes, size_t size)
{
    unsigned char last = size ? (unsigned char)bytes[size - 1] : '\n';
    if (last >= 0x80) return !ends_token(bytes, size);
    return (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z') || (last >= '0' && last <= '9');
}

bool
ws_document_surely_untagged(const char *bytes, size_t size)
{
    const char *end = bytes + size, *mark = bytes;
    while ((mark = memchr(mark, '!', (size_t)(end - mark)))) {
        if (!is_inside_word(bytes, (size_t)(mark - bytes))) return false;
        mark++;
    }
    return true;
}

/* Compiled code at another path.
 *
 * Compiled code knows the path of its file: for backtraces, for __FILE__, and, as the realpath, for __dir__ and
 * require_relative. In the binary form a path is a String in the list of objects. Objects are told apart by identity,
 * and paths and __FILE__ are interned (compile.c: ibf_dump_object), so one object is all of these. To move the code,
 * its entry in the table of objects is pointed at a new String, which lies where the table was; the table follows it.
 *
 * What would not be exact is refused, and the file is compiled:
 * - A literal that spells the path is the same object as __FILE__. Only the source can tell (ws_may_spell).
 * - A literal into which Ruby has folded __FILE__ ("#{__FILE__}:1", up to Ruby 3.3) contains the path.
 * - A binary that contains the new path already: equal keys of a Hash, for example, would be one.
 * - Paths that are not ASCII, because the encoding of __FILE__ may be another one then.
 * - A path that was its own realpath and is not any more: one object would have to be two. */
#include "core/adoption/relocation.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/adoption/code_binary.h"

/* A text of the binary that becomes another one. */
typedef struct replacement {
    const char *from, *to;
    size_t from_size, to_size;
    /* The String's number in the table of objects, and where its bytes are in the binary. */
    uint32_t object;
    const uint8_t *bytes;
} replacement;

typedef struct relocated {
    const uint8_t *binary;
    /* The end of the objects, where their table begins. */
    const uint8_t *end;
    ws_binary_header header;
    replacement texts[2];
    size_t count; /* of texts */
} relocated;

/* An absolute path of visible ASCII characters: of what ws_may_spell knows how a literal spells it. */
static bool
is_plain(const char *path)
{
    if (*path != '/' && !(path[0] && path[1] == ':' && path[2] == '/')) return false;
    for (; *path; path++)
        if (*path <= ' ' || *path >= 0x7f) return false;
    return true;
}

static const uint8_t *
find(const uint8_t *at, const uint8_t *end, const char *text, size_t size)
{
    while ((size_t)(end - at) >= size) {
        at = memchr(at, text[0], (size_t)(end - at) - size + 1);
        if (!at) return NULL;
        if (memcmp(at, text, size) == 0) return at;
        at++;
    }
    return NULL;
}

static uint32_t
offset_of_object(const relocated *work, uint32_t number)
{
    uint32_t offset;
    memcpy(&offset, work->binary + work->header.object_list + number * sizeof offset, sizeof offset);
    return offset;
}

/* Returns the bytes of object `number`, if it is a String of this size, or NULL. */
static const uint8_t *
bytes_of_string(const relocated *work, uint32_t number, size_t wanted)
{
    const uint8_t *at = work->binary + offset_of_object(work, number);
    uint64_t encoding, size;
    if ((*at & WS_BINARY_TYPE_AND_SPECIAL) != WS_BINARY_STRING) return NULL;
    at++;
    if (!ws_binary_read_value(&at, work->end, &encoding) || !ws_binary_read_value(&at, work->end, &size)) return NULL;
    return size == wanted && size <= (size_t)(work->end - at) ? at : NULL;
}

static bool
find_string(const relocated *work, replacement *text)
{
    for (uint32_t i = 1; i < work->header.object_count; i++) { /* number 0 is nil */
        const uint8_t *bytes = bytes_of_string(work, i, text->from_size);
        if (!bytes || memcmp(bytes, text->from, text->from_size) != 0) continue;
        text->object = i;
        text->bytes = bytes;
        return true;
    }
    return false;
}

/* Is the text nowhere but in the Strings that are replaced? (The path may be a part of the realpath.) */
static bool
is_in_strings_only(const relocated *work, const replacement *text)
{
    const uint8_t *at = work->binary;
    while ((at = find(at, work->end, text->from, text->from_size))) {
        bool inside = false;
        for (size_t i = 0; i < work->count; i++) {
            const replacement *other = &work->texts[i];
            if (at >= other->bytes && at < other->bytes + other->from_size) inside = true;
        }
        if (!inside) return false;
        at++;
    }
    return true;
}

/* Is one of the replaced Strings the source of a Regexp? (It would have to be valid, and is made anew by Ruby.) */
static bool
is_of_regexp(const relocated *work)
{
    for (uint32_t i = 1; i < work->header.object_count; i++) {
        const uint8_t *at = work->binary + offset_of_object(work, i);
        uint64_t source;
        if ((*at & WS_BINARY_TYPE_AND_SPECIAL) != WS_BINARY_REGEXP) continue;
        at += 2; /* the head, and the options */
        if (!ws_binary_read_value(&at, work->end, &source)) return true;
        for (size_t text = 0; text < work->count; text++)
            if (work->texts[text].object == source) return true;
    }
    return false;
}

/* Fills work->texts. Returns NULL, or why the binary cannot be relocated. */
static const char *
prepare(relocated *work, size_t size, ws_place from, ws_place to)
{
    if (!ws_binary_header_read(work->binary, size, &work->header)) return "format";
    const ws_binary_header *header = &work->header;
    if (header->object_list + header->object_count * sizeof(uint32_t) != header->size ||
        (uint64_t)header->size + header->extra_size != size)
        return "format";
    work->end = work->binary + header->object_list;
    for (uint32_t i = 0; i < header->object_count; i++)
        if (offset_of_object(work, i) >= header->object_list) return "format";
    if (!is_plain(from.path) || !is_plain(from.realpath) || !is_plain(to.path) || !is_plain(to.realpath)) return "path";
    bool was_real = strcmp(from.path, from.realpath) == 0;
    if (was_real && strcmp(to.path, to.realpath) != 0) return "link";

    const char *texts[][2] = { { from.path, to.path }, { from.realpath, to.realpath } };
    work->count = was_real ? 1 : 2;
    for (size_t i = 0; i < work->count; i++) {
        const char *old = texts[i][0], *new = texts[i][1];
        work->texts[i] = (replacement){ .from = old, .to = new, .from_size = strlen(old), .to_size = strlen(new) };
    }
    for (size_t i = 0; i < work->count; i++)
        if (!find_string(work, &work->texts[i])) return "no_path";
    for (size_t i = 0; i < work->count; i++) {
        const replacement *text = &work->texts[i];
        if (!is_in_strings_only(work, text)) return "folded";
        bool changes = strcmp(text->from, text->to) != 0;
        if (changes && find(work->binary, work->end, text->to, text->to_size)) return "target";
    }
    return is_of_regexp(work) ? "regexp" : NULL;
}

/* Writes the String anew at `at`, with the head and encoding of the old one. Returns its size, a multiple of 4, as Ruby
 * aligns objects (ibf_dump_object_object). */
static size_t
write_string(const relocated *work, const replacement *text, uint8_t *at)
{
    const uint8_t *old = work->binary + offset_of_object(work, text->object), *read = old + 1;
    uint64_t encoding;
    ws_binary_read_value(&read, work->end, &encoding);
    size_t head = (size_t)(read - old);
    memcpy(at, old, head);
    size_t size = head + ws_binary_write_value(at + head, text->to_size);
    memcpy(at + size, text->to, text->to_size);
    size += text->to_size;
    size_t padding = (4 - size % 4) % 4;
    memset(at + size, 0, padding);
    return size + padding;
}

uint8_t *
ws_relocate(const uint8_t *binary, size_t size, ws_place from, ws_place to, size_t *new_size, const char **reason)
{
    relocated work = { .binary = binary };
    *reason = prepare(&work, size, from, to);
    if (*reason) return NULL;

    ws_binary_header header = work.header;
    size_t space = size;
    for (size_t i = 0; i < work.count; i++) space += work.texts[i].to_size + 2 * WS_BINARY_VALUE_MAXIMUM + 4;
    uint8_t *result = malloc(space);
    uint32_t *table = malloc(header.object_count * sizeof *table);
    if (!result || !table) {
        free(result);
        free(table);
        *reason = "no_memory";
        return NULL;
    }
    memcpy(result, binary, header.object_list);
    memcpy(table, binary + header.object_list, header.object_count * sizeof *table);
    for (size_t i = 0; i < work.count; i++) {
        memset(result + (work.texts[i].bytes - binary), 0, work.texts[i].from_size); /* so it can be moved again */
        table[work.texts[i].object] = header.object_list;
        header.object_list += (uint32_t)write_string(&work, &work.texts[i], result + header.object_list);
    }
    memcpy(result + header.object_list, table, header.object_count * sizeof *table);
    header.size = header.object_list + header.object_count * (uint32_t)sizeof *table;
    memcpy(result + header.size, binary + work.header.size, header.extra_size);
    memcpy(result, &header, sizeof header);
    free(table);
    *new_size = (size_t)header.size + header.extra_size;
    return result;
}

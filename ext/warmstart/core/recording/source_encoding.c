/* Looks for the encoding like Ruby's parsers do (parse.y: comment_at_top, set_file_encoding, parser_magic_comment;
 * Prism: parser_lex_magic_comment_encoding), but less strictly: it takes any comment in the first two lines that has
 * "coding" and a name after ":" or "=". */
#include "core/recording/source_encoding.h"

#include <string.h>
#include <strings.h>

/* The encodings that are built into every Ruby. A name may have a suffix of Emacs ("utf-8-unix"). */
static const char *const built_in[] = { "utf-8", "us-ascii", "ascii", "ascii-8bit", "binary" };

static bool
is_built_in(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        size_t length = strlen(built_in[i]);
        if (size < length || strncasecmp((const char *)name, built_in[i], length) != 0) continue;
        if (size == length || (size == length + 5 && strncasecmp((const char *)name + length, "-unix", 5) == 0))
            return true;
        if (size == length + 4 && (strncasecmp((const char *)name + length, "-dos", 4) == 0 ||
                                   strncasecmp((const char *)name + length, "-mac", 4) == 0))
            return true;
    }
    return false;
}

static bool
is_of_a_name(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           byte == '-' || byte == '_' || byte == '.';
}

static bool
is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f' || byte == '"';
}

static bool
line_loads(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_blank(*at)) at++;
    if (at == end || *at != '#') return false;
    for (; end - at > 6; at++) {
        if (strncasecmp((const char *)at, "coding", 6) != 0) continue;
        const uint8_t *name = at + 6;
        while (name < end && is_blank(*name)) name++;
        if (name == end || (*name != ':' && *name != '=')) continue;
        for (name++; name < end && is_blank(*name); name++) {}
        const uint8_t *rest = name;
        while (rest < end && is_of_a_name(*rest)) rest++;
        if (rest > name && !is_built_in(name, (size_t)(rest - name))) return true;
    }
    return false;
}

bool
ws_source_loads_encoding(const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) at += 3;
    for (int line = 0; line < 2 && at < end; line++) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        if (line_loads(at, newline ? newline : end)) return true;
        at = newline ? newline + 1 : end;
    }
    return false;
}

/* Does a Ruby source spell a path in a literal?
 *
 * In compiled code a literal with the text of the file's own path is the same object as __FILE__, so only the source
 * tells that there is one. A literal can be written in many ways: "/app" "/a.rb", '/app'\ with 'a.rb' in the next line,
 * "/\x61pp", "#{"/app"}/a.rb". Instead of parsing, this file relies on four facts about Ruby's grammar:
 *
 * 1. The characters of a literal are in the source as they are, or as an escape with a number (parse.y: tokadd_escape,
 *    read_escape): \x2f, \u002f, \u{2f}, \57. Escapes with a letter stand for blanks and control characters, which are
 *    in no path that we are asked about. Any other escaped character is itself. So a source with such a number, of a
 *    visible ASCII character, counts as one that may spell everything.
 * 2. Literals that follow each other are one (`strings` in parse.y). Between two of them are only quotes, blanks, ends
 * of lines and backslashes. (A heredoc ends with the end of a line, which is in no such path.)
 * 3. A literal inside of "#{}" becomes part of the literal around it (new_evstr, pm_interpolated_node_compile), and may
 *    be written in any way (%q(), a heredoc). There Ruby's code begins, after blanks and parentheses, with something
 *    else than a name, an @ or the like; or with `begin`; or with a literal that Ruby 3.1 leaves out because nobody
 * uses it, as in "#{nil; %q(/lib)}" (parse.y: block_append). A source with such a "#{" counts as one that may spell
 *    everything.
 *
 * 4. Between two literals there may also be an embedded document ("=begin", parser_yylex), after a backslash at the end
 *    of the line before it, but no other comment, because that ends the line. A source with such a document counts as
 *    one that may spell everything.
 *
 * So if none of these is there, the letters and digits of a path that is spelt follow each other in the source, with no
 * other letter or digit between them. That is searched. */
#include "core/adoption/spelling.h"

#include <string.h>

static bool
is_alphanumeric(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool
is_octal(uint8_t byte)
{
    return byte >= '0' && byte <= '7';
}

/* Is what follows a backslash the number of a character that may be visible ASCII? */
static bool
is_number(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 2) return false;
    switch (at[0]) {
        case 'x': return at[1] >= '2' && at[1] <= '7';
        case 'u': return at[1] == '{' || (end - at > 3 && at[1] == '0' && at[2] == '0' && at[3] >= '2' && at[3] <= '7');
        default: return is_octal(at[0]) && is_octal(at[1]);
    }
}

/* Is the word at the beginning a literal for Ruby 3.1, alone in its statement? (One that is called, indexed or all that
 * is there: none.) */
static bool
is_literal_word(const uint8_t *at, size_t size, const uint8_t *end)
{
    static const char *const words[] = {
        "nil", "self", "true", "false", "__LINE__", "__FILE__", "__ENCODING__", "begin"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && memcmp(at, words[i], size) == 0)
            return at + size == end || !at[size] || !strchr(".[}", at[size]) || strcmp(words[i], "begin") == 0;
    return false;
}

/* Can what follows "#{" be no literal, neither at once nor after one that Ruby ignores? */
static bool
is_code(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at && strchr(" \t\r\n(", *at)) at++;
    if (at == end || !*at) return false;
    size_t size = 0;
    while (at + size < end && (is_alphanumeric(at[size]) || at[size] == '_')) size++;
    if (size > 0) return (*at < '0' || *at > '9') && !is_literal_word(at, size, end);
    uint8_t next = end - at > 1 ? at[1] : 0;
    return *at == ':' ? next == ':' : *at == '-' ? next == '>' : strchr("@$[{!", *at) != NULL;
}

/* Does a document begin in the next line? */
static bool
is_begin(const uint8_t *at, const uint8_t *end)
{
    static const char begin[] = "\n=begin";
    if (at < end && *at == '\r') at++;
    return (size_t)(end - at) >= sizeof begin - 1 && memcmp(at, begin, sizeof begin - 1) == 0;
}

/* May the source spell what is nowhere in it? (Facts 1, 3 and 4.) */
static bool
hides_characters(const uint8_t *source, const uint8_t *end)
{
    for (const uint8_t *at = source; (at = memchr(at, '\\', (size_t)(end - at))); at++)
        if (is_number(at + 1, end) || is_begin(at + 1, end)) return true;
    for (const uint8_t *at = source; (at = memchr(at, '#', (size_t)(end - at))); at++)
        if (end - at > 1 && at[1] == '{' && !is_code(at + 2, end)) return true;
    return false;
}

enum { NAME_MAXIMUM = 255 };

/* The path's last letters and digits: as many as the search needs, and not more than there is space for. */
static size_t
last_letters(const char *path, uint8_t *letters)
{
    size_t size = strlen(path), count = 0;
    while (size > 0 && count < NAME_MAXIMUM) {
        uint8_t byte = (uint8_t)path[--size];
        if (is_alphanumeric(byte)) letters[NAME_MAXIMUM - ++count] = byte;
    }
    memmove(letters, letters + NAME_MAXIMUM - count, count);
    return count;
}

/* Searches the letters, as Knuth, Morris and Pratt do, and passes over everything that is no letter or digit. */
static bool
has_letters(const uint8_t *at, const uint8_t *end, const uint8_t *letters, size_t count)
{
    uint8_t shorter[NAME_MAXIMUM + 1] = { 0 }; /* by the number of letters that were found: how many still fit */
    for (size_t i = 1, fit = 0; i < count; i++) {
        while (fit > 0 && letters[i] != letters[fit]) fit = shorter[fit];
        if (letters[i] == letters[fit]) fit++;
        shorter[i + 1] = (uint8_t)fit;
    }
    for (size_t found = 0; at < end; at++) {
        if (!is_alphanumeric(*at)) continue;
        while (found > 0 && *at != letters[found]) found = shorter[found];
        if (*at == letters[found] && ++found == count) return true;
    }
    return false;
}

bool
ws_may_spell(const uint8_t *source, size_t size, const char *path)
{
    uint8_t letters[NAME_MAXIMUM];
    size_t count = last_letters(path, letters);
    if (count == 0 || hides_characters(source, source + size)) return true;
    return has_letters(source, source + size, letters, count);
}

/* Follows CRuby's file.c (ruby_enc_find_basename, rb_file_dirname_n, ruby_enc_find_extname, rb_file_join), where one
 * source serves POSIX and Windows, too. See path_names.h. The name of CRuby's function stands in parentheses. */
#include "core/path/path_names.h"

#include <string.h>

#include "core/path/path_windows_full.h"

typedef struct ws_names {
    bool windows;
    const ws_path_encoding *encoding;
    const char *end;
} ws_names;

static bool
is_separator(const ws_names *names, const char *at)
{
    return at < names->end && (*at == '/' || (names->windows && *at == '\\'));
}

static const char *
next_character(const ws_names *names, const char *at)
{
    return at + (names->encoding ? names->encoding->character_size(names->encoding->encoding, at, names->end) : 1);
}

static const char *
skip_separators(const ws_names *names, const char *at)
{
    while (is_separator(names, at)) at++;
    return at;
}

/* Finds the next separator. (nextdirsep) */
static const char *
find_separator(const ws_names *names, const char *at)
{
    while (at < names->end && !is_separator(names, at)) at = next_character(names, at);
    return at;
}

static bool
has_drive(const ws_names *names, const char *at)
{
    return names->windows && names->end - at >= 2 && ws_windows_is_letter(at[0]) && at[1] == ':';
}

/* Skips "C:" or "//host/share". (skipprefix) */
static const char *
skip_prefix(const ws_names *names, const char *at)
{
    if (!names->windows) return at;
    if (is_separator(names, at) && is_separator(names, at + 1)) {
        at = find_separator(names, skip_separators(names, at));
        bool share = names->end - at >= 2 && at[0] != '\0' && at[1] != '\0' && !is_separator(names, at + 1);
        return share ? find_separator(names, at + 1) : at;
    }
    return has_drive(names, at) ? at + 2 : at;
}

/* The separators before the last name, or NULL. Separators at the end do not count. (strrdirsep) */
static const char *
last_separator(const ws_names *names, const char *at, const char *end)
{
    const char *last = NULL;

    while (at < end) {
        if (is_separator(names, at)) {
            const char *start = at;
            while (at < end && is_separator(names, at)) at++;
            if (at >= end) break;
            last = start;
        }
        else {
            at = next_character(names, at);
        }
    }
    return last;
}

/* Where the name ends, without trailing separators. (chompdirsep) */
static const char *
end_of_name(const ws_names *names, const char *at)
{
    while (at < names->end) {
        if (is_separator(names, at)) {
            const char *start = at;
            at = skip_separators(names, at);
            if (at >= names->end) return start;
        }
        else {
            at = next_character(names, at);
        }
    }
    return at;
}

static bool
is_garbage(const ws_names *names, const char *at)
{
    return at < names->end && (*at == '.' || *at == ' ');
}

/* The same on NTFS, where trailing dots and spaces and a stream are not part of a name. (ntfs_tail) */
static const char *
end_of_ntfs_name(const ws_names *names, const char *at)
{
    while (at < names->end && *at == '.') at++;
    while (at < names->end && *at != ':') {
        const char *start = at;
        if (is_garbage(names, at)) {
            while (is_garbage(names, at)) at++;
            if (at >= names->end || *at == ':') return start;
        }
        else if (is_separator(names, at)) {
            at = skip_separators(names, at);
            if (at >= names->end) return start;
            if (*at == ':') at++;
        }
        else {
            at = next_character(names, at);
        }
    }
    return at < names->end ? at : names->end;
}

static bool
is_same_byte(const ws_names *names, char one, char other)
{
    if (one == other) return true;
    return names->windows && ws_windows_is_letter(one) && ws_windows_is_letter(other) && (one | 0x20) == (other | 0x20);
}

static bool
is_boundary(const ws_names *names, const char *start, const char *at)
{
    while (start < at) start = next_character(names, start);
    return start == at;
}

/* Size of the name without the suffix, or 0 if the name does not end in the suffix. A suffix of one character and a
 * star, "?*", removes everything from the last such character on. For ".*" the answer is stem_size. (rmext) */
static size_t
without_suffix(const ws_names *names, ws_text name, size_t stem_size, ws_text suffix)
{
    ws_names of_suffix = { names->windows, names->encoding, suffix.bytes + suffix.size };

    if (suffix.size == 0) return 0;
    const char *star = next_character(&of_suffix, suffix.bytes);
    if (star + 1 == of_suffix.end && *star == '*') {
        size_t size = (size_t)(star - suffix.bytes);
        if (size == 1 && suffix.bytes[0] == '.') return stem_size;
        const char *last = name.bytes + name.size, *end = last;
        for (const char *at = name.bytes; at < end; at = next_character(names, at)) {
            if ((size_t)(end - at) >= size && memcmp(at, suffix.bytes, size) == 0) last = at;
        }
        return (size_t)(last - name.bytes);
    }
    if (name.size < suffix.size) return name.size;
    const char *start = name.bytes + name.size - suffix.size;
    if (!is_boundary(names, name.bytes, start)) return 0;
    for (size_t offset = 0; offset < suffix.size; offset++) {
        if (!is_same_byte(names, start[offset], suffix.bytes[offset])) return 0;
    }
    return name.size - suffix.size;
}

/* The basename of a path that has no name and so is a root. `prefix` is where a drive or share ends. `at` is after the
 * separators that follow it. */
static ws_text
basename_of_root(const ws_names *names, const char *prefix, const char *at)
{
    if (!names->windows || at != prefix) return (ws_text){ at - 1, 1 };
    return at[-1] == ':' ? (ws_text){ at, 0 } : (ws_text){ "/", 1 };
}

ws_text
ws_path_basename(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, ws_text suffix)
{
    ws_names names = { rules->windows, encoding, path.bytes + path.size };
    if (path.size == 0 || path.bytes[0] == '\0') return path;

    const char *prefix = skip_prefix(&names, path.bytes), *start = skip_separators(&names, prefix);
    if (start >= names.end || *start == '\0') return basename_of_root(&names, prefix, start);

    const char *separator = last_separator(&names, start, names.end);
    if (separator) start = skip_separators(&names, separator);
    const char *end = names.windows ? end_of_ntfs_name(&names, start) : end_of_name(&names, start);
    ws_text name = { start, (size_t)(end - start) };
    if (!suffix.bytes) return name;

    const char *dot = NULL, *at = start;
    while (at < end && *at == '.') at++;
    for (; at < end; at = next_character(&names, at)) {
        if (*at == '.') dot = at;
    }
    size_t size = without_suffix(&names, name, dot ? (size_t)(dot - start) : name.size, suffix);
    if (size > 0) name.size = size;
    return name;
}

ws_path_directory
ws_path_dirname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, long level)
{
    ws_names names = { rules->windows, encoding, path.bytes + path.size };
    const char *start = path.bytes, *end = names.end;
    bool drive = has_drive(&names, start);
    const char *root = skip_separators(&names, drive ? start + 2 : start);

    if (root > start + 1 && names.windows && is_separator(&names, start)) {
        start = root - 2;
        root = skip_prefix(&names, start);
    }
    else if (root > start + 1 && !names.windows) {
        start = root - 1;
    }

    const char *last = end;
    if (level > (end - root + 1) / 2) last = root;
    for (long step = 0; step < level && last > root; step++) {
        const char *separator = last_separator(&names, root, last);
        last = separator ? separator : root;
    }

    ws_path_directory directory = { { { start, (size_t)(last - start) }, { NULL, 0 } }, last == start };
    drive = has_drive(&names, start);
    if (drive && is_separator(&names, start + 2)) {
        const char *top = skip_separators(&names, start + 2);
        directory.parts[0].size = 3;
        directory.parts[1] = (ws_text){ top, (size_t)(last - top) };
    }
    else if (drive && root == start + 2 && last - start == 2) {
        directory.here = true;
    }
    return directory;
}

/* Where the extension begins, or NULL without an extension. *end is where the name ends. */
static const char *
find_extension(const ws_names *names, const char *at, const char **end)
{
    const char *dot = NULL;

    while (at < names->end && *at == '.') at++;
    while (at < names->end && *at != '\0') {
        if (names->windows && is_garbage(names, at)) {
            const char *first = at, *last_dot = at;
            for (at++; is_garbage(names, at); at++) {
                if (*at == '.') last_dot = at;
            }
            if (at >= names->end || *at == '\0' || *at == ':') {
                at = first;
                break;
            }
            if (*first == '.' || last_dot > first) dot = last_dot;
            continue;
        }
        if (*at == '.') dot = at;
        else if ((names->windows && *at == ':') || is_separator(names, at)) break;
        at = next_character(names, at);
    }
    *end = at;
    return dot;
}

ws_text
ws_path_extname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path)
{
    ws_names names = { rules->windows, encoding, path.bytes + path.size };
    const char *separator = last_separator(&names, path.bytes, names.end), *end;
    const char *name = separator ? skip_separators(&names, separator) : path.bytes;
    const char *dot = find_extension(&names, name, &end);

    if (!dot || dot == name) return (ws_text){ path.bytes, 0 };
    return (ws_text){ dot, dot + 1 == end ? 1 : (size_t)(end - dot) };
}

size_t
ws_path_join(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text joined, ws_text next,
             bool *separator)
{
    ws_names names = { rules->windows, encoding, joined.bytes + joined.size },
             of_next = { rules->windows, NULL, next.bytes + next.size };
    const char *tail = end_of_name(&names, joined.bytes);

    *separator = false;
    if (is_separator(&of_next, next.bytes)) return (size_t)(tail - joined.bytes);
    *separator = tail == names.end;
    return joined.size;
}

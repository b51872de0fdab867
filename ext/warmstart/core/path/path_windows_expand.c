/* Combines a path, its base and the home folder as CRuby's win32/file.c does (rb_file_expand_path_internal), makes the
 * result absolute by the system's rules (path_windows_full.c), and trims it as Ruby does. It leaves out one step of
 * Ruby's: Ruby asks the disk for the long name of the last part, and so for its case. */
#include "core/path/path_windows.h"

#include <string.h>

typedef struct composition {
    ws_text path, base; /* the part of each that is used */
    ws_text home;       /* size 0: not used */
    ws_text path_drive, base_drive;
} composition;

/* True for "~" and "~/a". */
static bool
is_home(ws_text path)
{
    return path.size > 0 && path.bytes[0] == '~' && (path.size == 1 || ws_windows_is_separator(path.bytes[1]));
}

static bool
is_other_home(ws_text path)
{
    return path.size >= 2 && path.bytes[0] == '~';
}

static ws_path_answer
take_home(ws_text *path, ws_text *home, const ws_path_surroundings *surroundings)
{
    if (surroundings->home.size == 0) return WS_PATH_NO_HOME;
    if (!ws_windows_is_absolute(surroundings->home.bytes, surroundings->home.size)) return WS_PATH_RELATIVE_HOME;
    *home = surroundings->home;
    *path = ws_text_from(*path, path->size > 1 ? 2 : 1);
    return WS_PATH_ANSWERED;
}

static bool
begins_with_separator(ws_text path)
{
    return path.size > 0 && ws_windows_is_separator(path.bytes[0]);
}

/* Size of "//host/share" in "//host/share/a". */
static size_t
share_size(ws_text base)
{
    size_t separators = 0, offset = 2;

    for (; offset < base.size && separators < 2; offset++) {
        if (ws_windows_is_separator(base.bytes[offset])) separators++;
    }
    return separators == 2 ? offset - 1 : base.size;
}

static ws_path_answer
take_base(composition *parts, ws_text base, bool tilde, const ws_path_surroundings *surroundings)
{
    size_t drive = ws_windows_drive_size(base);

    parts->base = base;
    if (tilde && is_home(base)) return take_home(&parts->base, &parts->home, surroundings);
    if (drive > 0) {
        parts->base_drive = (ws_text){ base.bytes, drive };
        if (begins_with_separator(parts->path)) parts->base.size = drive;
    }
    else if (ws_windows_is_unc(base)) {
        if (begins_with_separator(parts->path)) parts->base.size = share_size(base);
    }
    else if (tilde && is_other_home(base)) {
        return WS_PATH_OTHER_USER;
    }
    return WS_PATH_ANSWERED;
}

/* Is the base irrelevant? It is when the path is a share, and when the path is rooted and the base has no drive or
 * share to supply. */
static bool
ignores_base(const composition *parts, ws_text path, const ws_text *base)
{
    /* Ruby looks at the beginning of the given path, but uses the size of what is left of it. */
    ws_text seen = { path.bytes, parts->path.size }, seen_base = { base ? base->bytes : NULL, parts->base.size };
    bool rooted_base = parts->base_drive.size > 0 || ws_windows_is_unc(seen_base);

    return ws_windows_is_unc(seen) || (begins_with_separator(seen) && !rooted_base);
}

static ws_path_answer
take(composition *parts, ws_text path, const ws_text *base, bool tilde, const ws_path_surroundings *surroundings)
{
    size_t drive = ws_windows_drive_size(path);

    parts->path = path;
    if (tilde && is_home(path)) return take_home(&parts->path, &parts->home, surroundings);
    if (drive > 0) {
        if (path.size > drive && ws_windows_is_separator(path.bytes[drive])) return WS_PATH_ANSWERED;
        parts->path_drive = (ws_text){ path.bytes, drive };
        parts->path = ws_text_from(path, drive);
    }
    else if (tilde && is_other_home(path)) {
        return WS_PATH_OTHER_USER;
    }
    if (base) {
        ws_path_answer answer = take_base(parts, *base, tilde, surroundings);
        if (answer != WS_PATH_ANSWERED) return answer;
    }
    if (parts->path_drive.size > 0 && parts->base_drive.size > 0 &&
        !ws_windows_is_same(parts->path_drive, parts->base_drive)) {
        parts->base = parts->base_drive = (ws_text){ NULL, 0 };
    }
    else if (ignores_base(parts, path, base)) {
        parts->base = (ws_text){ NULL, 0 };
    }
    return WS_PATH_ANSWERED;
}

static bool
begins_with_up(ws_text path)
{
    return path.size >= 3 && path.bytes[0] == '.' && path.bytes[1] == '.' && path.bytes[2] == '/';
}

/* Resolves leading "../" of the path: "../a" with a settled base is "a" in the parent folder. The result is usually
 * settled, too. */
static void
climb(composition *parts)
{
    enum { ROOT_SIZE = 3 };
    ws_text *base = &parts->base;

    if (parts->path_drive.size > 0 || parts->home.size > 0 || !begins_with_up(parts->path) ||
        !ws_windows_is_settled(base->bytes, base->size))
        return;
    while (begins_with_up(parts->path) && base->size > ROOT_SIZE) {
        while (base->bytes[base->size - 1] != '/') base->size--;
        if (base->size > ROOT_SIZE) base->size--;
        parts->path = ws_text_from(parts->path, 3);
    }
}

typedef struct ws_output {
    char *bytes;
    size_t size, capacity;
} ws_output;

static void
put(ws_output *output, ws_text text)
{
    if (text.size == 0 || text.size >= output->capacity - output->size) return;
    memcpy(output->bytes + output->size, text.bytes, text.size);
    output->size += text.size;
}

static bool
ends_open(const ws_output *output)
{
    char last = output->bytes[output->size - 1];
    return !ws_windows_is_separator(last) && last != ':';
}

static void
compose(ws_output *output, const composition *parts)
{
    ws_text separator = { "/", 1 }, here = { ".", 1 };

    put(output, parts->home);
    if (parts->home.size > 0 && ends_open(output)) put(output, separator);
    else if (parts->base_drive.size == 0) put(output, parts->path_drive);
    put(output, parts->base);
    if (parts->base.size > 0 && ends_open(output)) put(output, separator);
    put(output, parts->path.size > 0 ? parts->path : here);
}

/* Does it end in ":$DATA", in any case? */
static bool
names_data(const char *bytes, size_t size)
{
    static const char data[] = ":$DATA";

    if (size <= sizeof(data) - 1) return false;
    for (size_t offset = 0; offset < sizeof(data) - 1; offset++) {
        char byte = bytes[size - (sizeof(data) - 1) + offset];
        if ((byte >= 'a' && byte <= 'z' ? byte - 32 : byte) != data[offset]) return false;
    }
    return true;
}

/* Makes "a" of "a::$DATA", and "a:b" of "a:b:$DATA". */
static size_t
without_data(const char *bytes, size_t size)
{
    enum { DATA_SIZE = 6 };

    if (!names_data(bytes, size)) return size;
    size_t position = size - DATA_SIZE - 1;
    if (bytes[position] == ':') return position;
    for (; bytes[position] != '/' && position > 0; position--) {
        if (bytes[position] == ':') return size - DATA_SIZE;
    }
    return size;
}

/* Removes one trailing separator and then one trailing dot. */
static size_t
trim(const char *bytes, size_t size)
{
    bool share = size == 2 && bytes[0] == '/' && bytes[1] == '/';

    if (size >= 2 && bytes[size - 1] == '/' && bytes[size - 2] != ':' && !share) size--;
    if (size > 0 && bytes[size - 1] == '.') size--;
    return without_data(bytes, size);
}

static size_t
sum_of_sizes(const composition *parts)
{
    return parts->home.size + parts->path_drive.size + parts->base.size + parts->path.size + 3;
}

ws_path_answer
ws_windows_full(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base, bool tilde,
                const ws_path_surroundings *surroundings)
{
    composition parts = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    ws_output output = { buffer, 0, buffer_size };

    if (path.size > 0 && memchr(path.bytes, '\0', path.size)) return WS_PATH_UNANSWERABLE;
    if (base && base->size > 0 && memchr(base->bytes, '\0', base->size)) return WS_PATH_UNANSWERABLE;
    ws_path_answer answer = take(&parts, path, base, tilde, surroundings);
    if (answer != WS_PATH_ANSWERED) return answer;
    climb(&parts);
    if (sum_of_sizes(&parts) >= buffer_size) return WS_PATH_TOO_LONG;

    compose(&output, &parts);
    *size = output.size;
    buffer[*size] = '\0';
    bool dots = parts.path.size == 0 || parts.path.bytes[0] == '.';
    if (!dots && ws_windows_is_settled(buffer, *size)) return WS_PATH_ANSWERED;
    answer = ws_windows_full_name(buffer, buffer_size, &output.size, surroundings);
    if (answer != WS_PATH_ANSWERED) return answer;
    *size = trim(buffer, output.size);
    buffer[*size] = '\0';
    return WS_PATH_ANSWERED;
}

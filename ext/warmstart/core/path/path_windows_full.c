/* Makes names absolute as Windows does: drives, shares, devices, dots. It imitates the system as far as Ruby's own
 * tests for Windows and results of CRuby for Windows show its behaviour (docs/windows_and_files.md), including
 * oddities: "a./b" loses its dot, "a../b" does not, and "nul.txt" is a device in every folder. */
#include "core/path/path_windows.h"

#include <string.h>

#include "core/path/path_case.h"

typedef enum name_kind {
    NAME_RELATIVE,       /* foo */
    NAME_DRIVE_RELATIVE, /* c:foo */
    NAME_DRIVE_ABSOLUTE, /* c:/foo */
    NAME_ROOTED,         /* /foo */
    NAME_SHARE,          /* //host/share/foo */
    NAME_DEVICE,         /* //./foo, //?/foo */
    NAME_DEVICE_ROOT     /* //. */
} name_kind;

size_t
ws_windows_drive_size(ws_text path)
{
    if (path.size < 2) return 0;
    unsigned char first = (unsigned char)path.bytes[0];
    size_t character = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 0;

    return character > 0 && path.size > character && path.bytes[character] == ':' ? character + 1 : 0;
}

bool
ws_windows_is_absolute(const char *path, size_t size)
{
    if (size >= 3 && ws_windows_is_letter(path[0]) && path[1] == ':' && ws_windows_is_separator(path[2])) return true;
    return ws_windows_is_unc((ws_text){ path, size });
}

static name_kind
kind_of(ws_text name)
{
    size_t drive = ws_windows_drive_size(name);

    if (name.size > 0 && ws_windows_is_separator(name.bytes[0])) {
        if (!ws_windows_is_unc(name)) return NAME_ROOTED;
        if (name.size == 2 || (name.bytes[2] != '.' && name.bytes[2] != '?')) return NAME_SHARE;
        if (name.size == 3) return NAME_DEVICE_ROOT;
        return ws_windows_is_separator(name.bytes[3]) ? NAME_DEVICE : NAME_SHARE;
    }
    if (drive == 0) return NAME_RELATIVE;
    return name.size > drive && ws_windows_is_separator(name.bytes[drive]) ? NAME_DRIVE_ABSOLUTE : NAME_DRIVE_RELATIVE;
}

/* `text` must be in capitals. */
static bool
begins_with(ws_text name, const char *text)
{
    size_t size = strlen(text);

    if (name.size < size) return false;
    for (size_t offset = 0; offset < size; offset++) {
        char byte = name.bytes[offset];
        if ((byte >= 'a' && byte <= 'z' ? byte - 32 : byte) != text[offset]) return false;
    }
    return true;
}

/* True for "1" to "9" and for Latin-1's superscripts U+00B9, U+00B2, U+00B3. */
static bool
is_port(ws_text digit)
{
    if (digit.size == 1) return digit.bytes[0] >= '1' && digit.bytes[0] <= '9';
    return digit.size == 2 && digit.bytes[0] == '\xC2' &&
           (digit.bytes[1] == '\xB9' || digit.bytes[1] == '\xB2' || digit.bytes[1] == '\xB3');
}

static bool
is_device(ws_text name)
{
    switch (name.size) {
        case 3:
            return begins_with(name, "AUX") || begins_with(name, "CON") || begins_with(name, "NUL") ||
                   begins_with(name, "PRN");
        case 4:
        case 5: return (begins_with(name, "COM") || begins_with(name, "LPT")) && is_port(ws_text_from(name, 3));
        case 6: return begins_with(name, "CONIN$");
        case 7: return begins_with(name, "CONOUT$");
        default: return false;
    }
}

ws_text
ws_windows_device(ws_text name)
{
    name_kind kind = kind_of(name);
    ws_text last = name, nothing = { NULL, 0 };

    if (kind == NAME_SHARE || kind == NAME_DEVICE) return nothing;
    if (kind == NAME_DRIVE_ABSOLUTE || kind == NAME_DRIVE_RELATIVE)
        last = ws_text_from(name, ws_windows_drive_size(name));
    for (size_t offset = last.size; offset > 0; offset--) {
        if (!ws_windows_is_separator(last.bytes[offset - 1])) continue;
        last = ws_text_from(last, offset);
        break;
    }
    if (!ws_windows_may_be_device(last)) return nothing;
    for (size_t offset = 0; offset < last.size; offset++) {
        if (last.bytes[offset] == '.' || last.bytes[offset] == ':') last.size = offset;
    }
    while (last.size > 0 && last.bytes[last.size - 1] == ' ') last.size--;
    return is_device(last) ? last : nothing;
}

/* Size of "//host/share/" including all of its separators. ".." never goes above this. */
static size_t
share_size(ws_text name)
{
    size_t offset = 2;

    for (int part = 0; part < 2; part++) {
        while (offset < name.size && !ws_windows_is_separator(name.bytes[offset])) offset++;
        while (offset < name.size && ws_windows_is_separator(name.bytes[offset])) offset++;
    }
    return offset;
}

typedef struct ws_naming {
    char *bytes;
    size_t size, capacity;
} ws_naming;

/* Puts the text in front of naming->bytes[from...], with a separator in between unless the text ends in one. */
static bool
put_in_front(ws_naming *naming, size_t from, ws_text text, bool separated)
{
    bool separator = separated && !ws_windows_is_separator(text.bytes[text.size - 1]);
    size_t size = text.size + (separator ? 1 : 0), rest = naming->size - from;

    if (size + rest >= naming->capacity) return false;
    memmove(naming->bytes + size, naming->bytes + from, rest);
    memmove(naming->bytes, text.bytes, text.size);
    if (separator) naming->bytes[text.size] = '/';
    naming->size = size + rest;
    return true;
}

bool
ws_windows_is_same(ws_text one, ws_text other)
{
    while (one.size > 0 && other.size > 0) {
        if (ws_path_next_folded(&one) != ws_path_next_folded(&other)) return false;
    }
    return one.size == other.size;
}

static bool
is_same_drive(ws_text one, ws_text other)
{
    return one.size == other.size && ws_windows_is_same(one, other);
}

/* Completes "c:foo" with the drive's own working directory, or else with its root. */
static bool
complete_drive(ws_naming *naming, const ws_path_surroundings *surroundings)
{
    ws_text name = { naming->bytes, naming->size }, directory = surroundings->directory;
    size_t drive_size = ws_windows_drive_size(name);
    ws_text drive = { name.bytes, drive_size };
    bool known =
        directory.size > 0 && is_same_drive(drive, (ws_text){ directory.bytes, ws_windows_drive_size(directory) });

    if (!known && surroundings->drive_directory) {
        known = surroundings->drive_directory(surroundings->context, drive, &directory) && directory.size > 0;
    }
    if (known) return put_in_front(naming, drive_size, directory, true);

    if (naming->size + 1 >= naming->capacity) return false;
    memmove(naming->bytes + drive_size + 1, naming->bytes + drive_size, naming->size - drive_size);
    naming->bytes[drive_size] = '/';
    naming->size++;
    return true;
}

static ws_path_answer
complete(ws_naming *naming, const ws_path_surroundings *surroundings)
{
    ws_text name = { naming->bytes, naming->size }, directory = surroundings->directory;
    name_kind kind = kind_of(name);
    bool fits = true;

    if ((kind == NAME_RELATIVE || kind == NAME_ROOTED) && directory.size == 0) return WS_PATH_NO_DIRECTORY;
    switch (kind) {
        case NAME_RELATIVE: fits = put_in_front(naming, 0, directory, true); break;
        case NAME_DRIVE_RELATIVE: fits = complete_drive(naming, surroundings); break;
        case NAME_ROOTED:
            directory.size = ws_windows_is_unc(directory) ? share_size(directory) : ws_windows_drive_size(directory);
            fits = put_in_front(naming, 0, directory, false);
            break;
        case NAME_DEVICE_ROOT:
            fits = naming->size + 1 < naming->capacity;
            if (fits) naming->bytes[2] = '.', naming->bytes[naming->size++] = '/';
            break;
        default: break;
    }
    return fits ? WS_PATH_ANSWERED : WS_PATH_TOO_LONG;
}

/* The new value of `out` after removing the last part, which ends in a separator. */
static size_t
without_last_part(const char *bytes, size_t out, size_t root)
{
    if (out > root) out--;
    while (out > root && bytes[out - 1] != '/') out--;
    return out;
}

/* The positions up to which a name has been read and written, and the root, which ".." does not remove. `out` never
 * overtakes `in`. */
typedef struct ws_collapse {
    size_t in, out, root;
} ws_collapse;

/* Copies "//host/share/" with one separator after each part. An empty part keeps all its separators. */
static ws_collapse
begin_share(char *bytes, size_t size)
{
    ws_collapse at = { 2, 2, 2 };

    if (size == 4 && bytes[2] == '.' && bytes[3] == '.') return (ws_collapse){ 4, 2, 2 }; /* "//.." becomes "//" */

    for (int part = 0; part < 2; part++) {
        size_t start = at.in;
        while (at.in < size && bytes[at.in] != '/') bytes[at.out++] = bytes[at.in++];
        bool named = at.in > start;
        for (size_t run = 0; at.in < size && bytes[at.in] == '/'; run++, at.in++) {
            if (run == 0 || !named) bytes[at.out++] = '/';
        }
    }
    at.root = at.out;
    return at;
}

static ws_collapse
begin_name(char *bytes, size_t size)
{
    ws_text name = { bytes, size };
    name_kind kind = kind_of(name);
    if (kind == NAME_SHARE) return begin_share(bytes, size);

    size_t root = kind == NAME_DEVICE ? 4 : ws_windows_drive_size(name) + 1;
    return (ws_collapse){ root, root, root };
}

/* Copies a part that is neither "." nor "..". A single trailing dot is removed; of two, none is. */
static void
copy_part(ws_collapse *at, char *bytes, size_t part, bool last)
{
    if (at->out != at->in) memmove(bytes + at->out, bytes + at->in, part);
    at->out += part;
    if (last) return;
    if (bytes[at->out - 1] == '.' && bytes[at->out - 2] != '.') at->out--;
    bytes[at->out++] = '/';
}

/* Resolves "." and "..", and removes repeated separators and trailing dots and spaces. Returns the new size. */
static size_t
collapse(char *bytes, size_t size)
{
    ws_collapse at = begin_name(bytes, size);

    while (at.in < size) {
        const char *separator = memchr(bytes + at.in, '/', size - at.in);
        bool last = !separator;
        size_t end = last ? size : (size_t)(separator - bytes), part = end - at.in;

        if (part > 0 && bytes[at.in] == '.' && (part == 1 || (part == 2 && bytes[at.in + 1] == '.'))) {
            if (part == 2) at.out = without_last_part(bytes, at.out, at.root);
            if (last && at.out > at.root) at.out--;
        }
        else if (part > 0) {
            copy_part(&at, bytes, part, last);
        }
        at.in = last ? end : end + 1;
    }
    while (at.out > at.root && (bytes[at.out - 1] == ' ' || bytes[at.out - 1] == '.')) at.out--;
    return at.out;
}

static ws_path_answer
name_device(char *buffer, size_t buffer_size, size_t *size, ws_text device)
{
    if (device.size + 4 >= buffer_size) return WS_PATH_TOO_LONG;
    memmove(buffer + 4, device.bytes, device.size);
    memcpy(buffer, "//./", 4);
    *size = 4 + device.size;
    return WS_PATH_ANSWERED;
}

ws_path_answer
ws_windows_full_name(char *buffer, size_t buffer_size, size_t *size, const ws_path_surroundings *surroundings)
{
    ws_naming naming = { buffer, *size, buffer_size };
    ws_text device = ws_windows_device((ws_text){ buffer, *size });
    size_t spaces = 0;

    if (device.size > 0) return name_device(buffer, buffer_size, size, device);
    while (spaces < *size && buffer[spaces] == ' ') spaces++;
    if (spaces == *size) return WS_PATH_UNANSWERABLE;

    ws_path_answer answer = complete(&naming, surroundings);
    if (answer != WS_PATH_ANSWERED) return answer;
    for (char *at = buffer; (at = memchr(at, '\\', naming.size - (size_t)(at - buffer))); at++) *at = '/';
    *size = collapse(buffer, naming.size);
    return WS_PATH_ANSWERED;
}

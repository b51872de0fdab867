/* What the POSIX and the Windows rules share. */
#include "core/path/path.h"

#include <string.h>

static bool
ws_path_equals(const char *bytes, size_t size, const char *text)
{
    return strlen(text) == size && memcmp(bytes, text, size) == 0;
}

/* `extension` begins after the dot. Like load.c, this compares case-sensitively, on Windows too. */
static ws_extension
ws_path_extension(const char *extension, size_t size, const char *dlext)
{
    if (ws_path_equals(extension, size, "rb")) return WS_EXTENSION_RB;
    if (ws_path_equals(extension, size, "so") || ws_path_equals(extension, size, "o")) return WS_EXTENSION_LIBRARY;
    return ws_path_equals(extension, size, dlext) ? WS_EXTENSION_LIBRARY : WS_EXTENSION_NONE;
}

void
ws_path_feature_ending(const char *feature, size_t size, const char *dlext, ws_feature_name *name)
{
    size_t dot = size;

    name->stem_size = size;
    name->extension = WS_EXTENSION_NONE;
    while (dot > 0 && feature[dot - 1] != '.' && feature[dot - 1] != '/') dot--;
    if (dot > 0 && feature[dot - 1] == '.') {
        name->extension = ws_path_extension(feature + dot, size - dot, dlext);
        if (name->extension != WS_EXTENSION_NONE) name->stem_size = dot - 1;
    }
}

size_t
ws_path_put_together(char *buffer, size_t buffer_size, ws_text directory, ws_text name, bool open)
{
    size_t separator_size = open && name.size > 0 ? 1 : 0;

    if (directory.size >= buffer_size || name.size >= buffer_size - directory.size) return 0;
    size_t size = directory.size + separator_size + name.size;
    if (size >= buffer_size) return 0;

    if (directory.size > 0) memcpy(buffer, directory.bytes, directory.size);
    if (separator_size > 0) buffer[directory.size] = '/';
    if (name.size > 0) memcpy(buffer + directory.size + separator_size, name.bytes, name.size);
    buffer[size] = '\0';
    return size;
}

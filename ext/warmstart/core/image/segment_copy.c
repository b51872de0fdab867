/* Copies the load-path index from one segment into another. The tables hold offsets into STRINGS, which differ between
 * segments, so the offsets are translated. Numbers of rows stay the same. Who calls: store.c's compaction, through
 * ws_segment_writer_copy_index. */
#include <stdlib.h>
#include <string.h>

#include "core/image/segment_writer.h"

typedef enum copied { COPIED, MALFORMED, SHORT_OF_MEMORY } copied;

/* A table whose rows contain a string. string_at: where in a row its offset is; its size follows. */
typedef struct string_table {
    ws_section section;
    size_t row_size, string_at;
} string_table;

static const string_table string_tables[] = {
    { WS_SECTION_LOAD_PATH, sizeof(ws_load_path_entry), offsetof(ws_load_path_entry, expanded_offset) },
    { WS_SECTION_LOAD_PATH_NAMES, sizeof(ws_load_path_name), offsetof(ws_load_path_name, name_offset) },
    { WS_SECTION_DIRECTORIES, sizeof(ws_index_directory), offsetof(ws_index_directory, name_offset) },
    { WS_SECTION_FEATURES, sizeof(ws_index_feature), offsetof(ws_index_feature, name_offset) },
};
enum { STRING_TABLE_COUNT = sizeof string_tables / sizeof string_tables[0] };

static const ws_section plain_tables[] = { WS_SECTION_HOLDERS, WS_SECTION_FEATURE_TABLE, WS_SECTION_FEATURE_LISTS };
enum { PLAIN_TABLE_COUNT = sizeof plain_tables / sizeof plain_tables[0] };

static copied
translate_row(ws_segment_writer *writer, const ws_segment *segment, unsigned char *string_fields)
{
    uint32_t fields[2];

    memcpy(fields, string_fields, sizeof fields);
    const char *string = ws_segment_string(segment, fields[0], fields[1]);
    if (string == NULL) return MALFORMED;
    fields[0] = ws_segment_writer_string(writer, string, fields[1]);
    if (fields[0] == UINT32_MAX) return SHORT_OF_MEMORY;
    memcpy(string_fields, fields, sizeof fields);
    return COPIED;
}

static copied
copy_string_table(ws_segment_writer *writer, const ws_segment *segment, const string_table *table)
{
    ws_section_view view = ws_segment_section(segment, table->section);
    if (view.size == 0) return COPIED;
    unsigned char *rows = malloc(view.size);
    if (rows == NULL) return SHORT_OF_MEMORY;

    memcpy(rows, view.bytes, view.size);
    copied result = COPIED;
    for (size_t at = 0; result == COPIED && at < view.size; at += table->row_size)
        result = translate_row(writer, segment, rows + at + table->string_at);
    if (result == COPIED && !ws_segment_writer_section(writer, table->section, rows, view.size))
        result = SHORT_OF_MEMORY;
    free(rows);
    return result;
}

static copied
copy_plain_table(ws_segment_writer *writer, const ws_segment *segment, ws_section section)
{
    ws_section_view view = ws_segment_section(segment, section);
    return ws_segment_writer_section(writer, section, view.bytes, view.size) ? COPIED : SHORT_OF_MEMORY;
}

/* Removes the whole index. A part of one would claim that features are absent although nobody has looked for them. */
static void
drop_index(ws_segment_writer *writer)
{
    for (int i = 0; i < STRING_TABLE_COUNT; i++) ws_segment_writer_section(writer, string_tables[i].section, NULL, 0);
    for (int i = 0; i < PLAIN_TABLE_COUNT; i++) ws_segment_writer_section(writer, plain_tables[i], NULL, 0);
}

bool
ws_segment_writer_copy_index(ws_segment_writer *writer, const ws_segment *segment)
{
    copied result = COPIED;

    drop_index(writer);
    for (int i = 0; result == COPIED && i < STRING_TABLE_COUNT; i++)
        result = copy_string_table(writer, segment, &string_tables[i]);
    for (int i = 0; result == COPIED && i < PLAIN_TABLE_COUNT; i++)
        result = copy_plain_table(writer, segment, plain_tables[i]);
    if (result != COPIED) drop_index(writer);
    return result != SHORT_OF_MEMORY;
}

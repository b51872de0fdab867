/* Opens a segment. The tables are copied out of the mapping, and everything but the payloads is verified: the header,
 * the layout, and every section's checksum and shape. The values in the sections (offsets of strings, numbers of
 * entries) are checked at each use. Who calls: image.c for each segment of a manifest, the inspector's binding for a
 * single file. */
#include <string.h>

#include "core/bytes/hash.h"
#include "core/image/segment.h"

_Static_assert(sizeof(ws_segment_header) == 456, "the header has no hidden padding");
_Static_assert(sizeof(ws_entry) == 128, "entries have no hidden padding");
_Static_assert(sizeof(ws_load_path_entry) == 32 && sizeof(ws_load_path_name) == 24, "no hidden padding");
_Static_assert(sizeof(ws_index_directory) == 24 && sizeof(ws_index_holder) == 32, "no hidden padding");
_Static_assert(sizeof(ws_index_feature) == 32, "no hidden padding");

/* The shape of a section: its size is a multiple of `unit`, and the number of units in a table is a power of two. */
static const struct section_shape {
    uint32_t unit;
    bool table;
    const char *name;
} shapes[WS_SECTION_COUNT] = { [WS_SECTION_KEY] = { 1, false, "section KEY" },
                               [WS_SECTION_STRINGS] = { 1, false, "section STRINGS" },
                               [WS_SECTION_ENTRIES] = { sizeof(ws_entry), false, "section ENTRIES" },
                               [WS_SECTION_ENTRY_TABLE] = { sizeof(uint32_t), true, "section ENTRY_TABLE" },
                               [WS_SECTION_LOAD_PATH] = { sizeof(ws_load_path_entry), false, "section LOAD_PATH" },
                               [WS_SECTION_LOAD_PATH_NAMES] = { sizeof(ws_load_path_name), false,
                                                                "section LOAD_PATH_NAMES" },
                               [WS_SECTION_DIRECTORIES] = { sizeof(ws_index_directory), false, "section DIRECTORIES" },
                               [WS_SECTION_HOLDERS] = { sizeof(ws_index_holder), false, "section HOLDERS" },
                               [WS_SECTION_FEATURES] = { sizeof(ws_index_feature), false, "section FEATURES" },
                               [WS_SECTION_FEATURE_TABLE] = { sizeof(uint32_t), true, "section FEATURE_TABLE" },
                               [WS_SECTION_FEATURE_LISTS] = { sizeof(uint32_t), false, "section FEATURE_LISTS" },
                               [WS_SECTION_STATISTICS] = { 1, false, "section STATISTICS" },
                               [WS_SECTION_PAYLOADS] = { WS_ALIGNMENT, false, "section PAYLOADS" },
                               { 1, false, "section 13" },
                               { 1, false, "section 14" },
                               { 1, false, "section 15" } };

/* Why a segment is refused, and in which part. */
typedef struct verdict {
    ws_code code;
    const char *where;
} verdict;
static const verdict fine = { WS_OK, NULL };

static verdict
refuse(ws_code code, const char *where)
{
    verdict v = { code, where };
    return v;
}

static bool
all_zero(const uint8_t *bytes, const uint8_t *end)
{
    while (bytes < end)
        if (*bytes++ != 0) return false;
    return true;
}

/* The part of the file that was copied, and the size of the whole file. */
typedef struct ws_tables {
    const uint8_t *bytes;
    uint64_t size, file_size;
} ws_tables;

static const ws_segment_header *
header_of(const ws_tables *tables)
{
    return (const ws_segment_header *)(const void *)tables->bytes;
}

/* Checks the header before its sizes are used for an allocation. */
static verdict
check_header(const ws_segment_header *header, uint64_t file_size, uint64_t expected_key)
{
    uint64_t checksum = ws_hash64(header, offsetof(ws_segment_header, header_checksum), WS_SEED_HEADER);

    if (memcmp(header->magic, WS_SEGMENT_MAGIC, sizeof header->magic) != 0) return refuse(WS_MAGIC, "magic");
    if (header->byte_order != WS_BYTE_ORDER) return refuse(WS_FORMAT, "byte order");
    if (header->format_version != WS_FORMAT_VERSION) return refuse(WS_FORMAT, "format version");
    if (header->header_checksum != checksum) return refuse(WS_CHECKSUM, "header");
    if (header->file_size > file_size) return refuse(WS_TRUNCATED, "file size");
    if (header->file_size < file_size) return refuse(WS_BOUNDS, "file size");
    if (expected_key != 0 && header->key_hash != expected_key) return refuse(WS_KEY, "key");
    if (header->segment_id == 0) return refuse(WS_BOUNDS, "segment id");
    return fine;
}

static verdict
check_shape(const ws_section_header *section, const struct section_shape *shape)
{
    if (section->size % shape->unit != 0) return refuse(WS_BOUNDS, shape->name);
    if (!shape->table) return fine;
    uint64_t count = section->size / shape->unit;
    if ((count & (count - 1)) != 0 || count > UINT64_C(1) << 31) return refuse(WS_BOUNDS, shape->name);
    return fine;
}

/* Checks the checksum and padding of one section, whose bounds are already checked. */
static verdict
check_bytes(const ws_tables *tables, const ws_section_header *section, const char *name)
{
    const uint8_t *bytes = tables->bytes + section->offset;

    if (ws_hash64(bytes, section->size, WS_SEED_SECTION) != section->checksum) return refuse(WS_CHECKSUM, name);
    if (!all_zero(bytes + section->size, bytes + WS_ALIGN(section->size))) return refuse(WS_CHECKSUM, name);
    return fine;
}

/* Each section must begin where the one before it ends, so sections neither overlap nor leave gaps. */
static verdict
check_sections(const ws_tables *tables)
{
    const ws_segment_header *header = header_of(tables);
    uint64_t end = WS_ALIGN(sizeof *header);

    for (unsigned number = 0; number < WS_SECTION_COUNT; number++) {
        const ws_section_header *section = &header->sections[number];
        const char *name = shapes[number].name;

        if (section->offset == 0 && section->size == 0 && section->checksum == 0) continue;
        if (section->offset != end || section->size == 0) return refuse(WS_BOUNDS, name);
        if (number > WS_SECTION_PAYLOADS) return refuse(WS_BOUNDS, name); /* payloads come last */
        uint64_t limit = number == WS_SECTION_PAYLOADS ? tables->file_size : tables->size;
        if (end > limit || section->size > limit - end || WS_ALIGN(section->size) > limit - end)
            return refuse(WS_BOUNDS, name);
        verdict shape = check_shape(section, &shapes[number]);
        if (shape.code != WS_OK) return shape;
        if (number == WS_SECTION_PAYLOADS) {
            if (section->checksum != 0) return refuse(WS_CHECKSUM, name);
        }
        else {
            verdict bytes = check_bytes(tables, section, name);
            if (bytes.code != WS_OK) return bytes;
        }
        end += WS_ALIGN(section->size);
    }
    return end == tables->file_size ? fine : refuse(WS_BOUNDS, "file size");
}

/* Checks that the sections agree with each other and with the header. */
static verdict
check_agreement(const ws_tables *tables)
{
    const ws_segment_header *header = header_of(tables);
    const ws_section_header *sections = header->sections;
    const ws_section_header *key = &sections[WS_SECTION_KEY], *strings = &sections[WS_SECTION_STRINGS];

    if (ws_hash64(tables->bytes + key->offset, key->size, WS_SEED_KEY) != header->key_hash)
        return refuse(WS_CHECKSUM, "section KEY");
    if (sections[WS_SECTION_ENTRIES].size / sizeof(ws_entry) != header->entry_count)
        return refuse(WS_BOUNDS, "entry count");
    if (header->entry_count > 0 && sections[WS_SECTION_ENTRY_TABLE].size == 0)
        return refuse(WS_BOUNDS, "section ENTRY_TABLE");
    if (strings->size > 0 && tables->bytes[strings->offset + strings->size - 1] != '\0')
        return refuse(WS_BOUNDS, "section STRINGS");
    return fine;
}

static void
fill_views(ws_segment *segment)
{
    ws_section_view strings = ws_segment_section(segment, WS_SECTION_STRINGS);
    ws_section_view table = ws_segment_section(segment, WS_SECTION_ENTRY_TABLE);
    ws_section_view payloads = ws_segment_section(segment, WS_SECTION_PAYLOADS);

    segment->strings = strings.bytes;
    segment->strings_size = strings.size;
    segment->entries = ws_segment_section(segment, WS_SECTION_ENTRIES).bytes;
    segment->entry_count = segment->header->entry_count;
    segment->entry_table = table.bytes;
    segment->entry_table_mask = table.size == 0 ? 0 : (uint32_t)(table.size / sizeof(uint32_t) - 1);
    segment->payloads = payloads.bytes;
    segment->payloads_size = payloads.size;
}

/* The size of header and tables, according to the header. */
static uint64_t
tables_size(const ws_segment_header *header, uint64_t file_size)
{
    uint64_t offset = header->sections[WS_SECTION_PAYLOADS].offset;
    return offset >= WS_ALIGN(sizeof *header) && offset <= file_size ? offset : file_size;
}

/* Copies header and tables out of the mapping. If the file is cut short later, only payloads are lost. */
static verdict
copy_tables(ws_segment *segment, const ws_mapping *mapping, uint64_t expected_key, ws_tables *tables)
{
    ws_segment_header header;

    if (mapping->size < WS_ALIGN(sizeof header)) return refuse(WS_TRUNCATED, "header");
    ws_code code = ws_mapping_read_out(&header, mapping->bytes, sizeof header);
    if (code != WS_OK) return refuse(code, "header");
    verdict v = check_header(&header, mapping->size, expected_key);
    if (v.code != WS_OK) return v;
    tables->file_size = mapping->size;
    tables->size = tables_size(&header, mapping->size);
    if (tables->size > WS_TABLES_SIZE_MAXIMUM) return refuse(WS_BOUNDS, "tables");
    segment->tables_size = (size_t)tables->size;
    segment->tables = ws_mapping_allocate(segment->tables_size);
    if (!segment->tables) return refuse(WS_MEMORY, "tables");
    tables->bytes = segment->tables;
    code = ws_mapping_read_out(segment->tables, mapping->bytes, (size_t)tables->size);
    if (code != WS_OK) return refuse(code, "tables");
    /* Somebody may have written to the file between the two reads. */
    if (memcmp(segment->tables, &header, sizeof header) != 0) return refuse(WS_UNREADABLE, "header");
    const uint8_t *padding = segment->tables + sizeof header;
    return all_zero(padding, segment->tables + WS_ALIGN(sizeof header)) ? fine : refuse(WS_CHECKSUM, "header");
}

ws_code
ws_segment_open(ws_segment *segment, ws_mapping mapping, uint64_t expected_key, const char *name, ws_error *error)
{
    ws_tables tables = { NULL, 0, 0 };

    memset(segment, 0, sizeof *segment);
    verdict v = copy_tables(segment, &mapping, expected_key, &tables);
    if (v.code == WS_OK) v = check_sections(&tables);
    if (v.code == WS_OK) v = check_agreement(&tables);
    if (v.code != WS_OK) {
        ws_mapping_release(segment->tables, segment->tables_size);
        ws_mapping_close(&mapping);
        memset(segment, 0, sizeof *segment);
        return ws_error_set(error, v.code, 0, v.where, name);
    }
    segment->mapping = mapping;
    segment->header = header_of(&tables);
    fill_views(segment);
    return WS_OK;
}

void
ws_segment_close(ws_segment *segment)
{
    if (segment->header != NULL) ws_mapping_close(&segment->mapping);
    ws_mapping_release(segment->tables, segment->tables_size);
    memset(segment, 0, sizeof *segment);
}

ws_section_view
ws_segment_section(const ws_segment *segment, ws_section number)
{
    const ws_section_header *section = &segment->header->sections[number];
    ws_section_view view = { NULL, 0 };
    if (section->size == 0) return view;
    view.bytes = (number == WS_SECTION_PAYLOADS ? segment->mapping.bytes : segment->tables) + section->offset;
    view.size = (size_t)section->size;
    return view;
}

const char *
ws_segment_string(const ws_segment *segment, uint32_t offset, uint32_t size)
{
    if (offset >= segment->strings_size || size >= segment->strings_size - offset) return NULL;
    const char *string = segment->strings + offset;
    return string[size] == '\0' ? string : NULL;
}

const ws_entry *
ws_segment_find(const ws_segment *segment, const char *path, size_t path_size, uint64_t path_hash)
{
    const uint32_t *table = segment->entry_table;
    if (table == NULL) return NULL;
    uint32_t mask = segment->entry_table_mask, number, step = 0;
    while ((number = ws_fixed_table_next(table, mask, path_hash, &step)) != WS_NO_NUMBER) {
        if (number >= segment->entry_count) continue;
        const ws_entry *entry = &segment->entries[number];
        if (entry->path_hash != path_hash || entry->path_size != path_size) continue;
        const char *name = ws_segment_string(segment, entry->path_offset, entry->path_size);
        if (name != NULL && memcmp(name, path, path_size) == 0) return entry;
    }
    return NULL;
}

const uint8_t *
ws_segment_payload(const ws_segment *segment, const ws_entry *entry)
{
    static const uint8_t empty[1] = { 0 };

    if (entry->payload_size == 0) return empty;
    if (entry->payload_offset % WS_ALIGNMENT != 0) return NULL;
    if (entry->payload_offset > segment->payloads_size) return NULL;
    if (entry->payload_size > segment->payloads_size - entry->payload_offset) return NULL;
    return segment->payloads + entry->payload_offset;
}

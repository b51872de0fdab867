/* Fuzzes what reads a segment. The checksums of the input are made right first, so that the fuzzer gets past them to
 * the bounds checks: a segment's checksums can be right although its writer was wrong. */
#include "fuzz.h"

#include "core/index/feature_index.h"
#include "image_fixture.h"

const fuzz_kind fuzz_target = { false, WS_ALIGN(sizeof(ws_segment_header)) };

void
fuzz_seeds(fuzz_take take, void *context)
{
    fixture_bytes sample = fixture_written(fixture_sample(WS_SEGMENT_REPRODUCIBLE), NULL);

    take(context, sample.bytes, sample.size);
    free(sample.bytes);
}

/* Keeps the compiler from removing the reads. */
static volatile uint64_t sum;

static void
read_string(const ws_segment *segment, uint32_t offset, uint32_t size)
{
    const char *string = ws_segment_string(segment, offset, size);
    if (string != NULL) sum += strlen(string);
}

static void
read_entries(const ws_segment *segment)
{
    ws_image image;

    fixture_image(&image, segment);
    for (uint32_t i = 0; i < segment->entry_count; i++) {
        const ws_entry *entry = &segment->entries[i];
        const char *path = ws_segment_string(segment, entry->path_offset, entry->path_size);
        ws_found here = { entry, segment };
        const uint8_t *payload;
        read_string(segment, entry->realpath_offset, entry->realpath_size);
        if (ws_image_payload(&image, here, &payload, NULL) == WS_OK)
            for (uint64_t at = 0; at < entry->payload_size; at++) sum += payload[at];
        if (path != NULL) sum += ws_image_find(&image, path, entry->path_size).entry != NULL;
    }
    for (uint32_t i = 0; i < FIXTURE_FILES; i++)
        sum += ws_image_find(&image, fixture_paths[i], strlen(fixture_paths[i])).entry != NULL;
}

static void
read_sections(const ws_segment *segment)
{
    for (unsigned number = 0; number < WS_SECTION_COUNT; number++) {
        ws_section_view view = ws_segment_section(segment, (ws_section)number);
        for (size_t at = 0; at < view.size; at++) sum += ((const uint8_t *)view.bytes)[at];
    }
}

/* Copies the index, as compaction does with segments that others wrote. */
static void
copy_index(const ws_segment *segment)
{
    ws_segment_writer *writer = fixture_writer(0);
    sum += ws_segment_writer_copy_index(writer, segment);
    ws_segment_writer_free(writer);
}

/* Asks the index of a sealed image, because that does not ask the file system. */
static void
ask_index(const ws_segment *segment)
{
    static const char *const features[] = { "json", "json.rb", "json.so", "a/b", "x" };
    ws_load_path_item items[] = { { "/lib", 4, WS_LOAD_PATH_ABSOLUTE } };
    ws_feature_index *index = ws_feature_index_new(segment, true, "so", NULL);
    char path[4096];

    if (index == NULL) return;
    if (ws_feature_index_set_load_path(index, items, 1))
        for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
            sum += ws_feature_index_find(index, features[i], strlen(features[i]), path, sizeof path).path_size;
    ws_feature_index_free(index);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_segment segment;
    uint8_t *bytes = malloc(size > 0 ? size : 1);

    if (bytes == NULL) return 0;
    if (size > 0) memcpy(bytes, data, size);
    fixture_seal(bytes, size);
    if (fixture_open(&segment, bytes, size, 0, NULL) == WS_OK) {
        sum++;
        read_entries(&segment);
        read_sections(&segment);
        copy_index(&segment);
        ask_index(&segment);
        ws_segment_close(&segment);
    }
    free(bytes);
    return 0;
}

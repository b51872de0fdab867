/* Fuzzing what reads a segment. The checksums of the input are made right first: the fuzzer is to get past them and meet
 * the bounds checks, for an image's checksums can be right and its writer wrong.
 *
 * With libFuzzer (`make fuzz`): LLVMFuzzerTestOneInput. Without (`make check`, any compiler that has AddressSanitizer):
 *
 *     segment_fuzz_standalone FILE...                 runs these inputs
 *     segment_fuzz_standalone --random COUNT [SEED]   runs the sample with random damage, the same at each run
 *     segment_fuzz_standalone --sample FILE           writes the sample, a corpus to begin with */
#include <inttypes.h>
#include <stdint.h>

#include "feature_index.h"
#include "image_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimised away. */
static volatile uint64_t sum;

static void read_string(const ws_segment *segment, uint32_t offset, uint32_t size)
{
    const char *string = ws_segment_string(segment, offset, size);
    if (string != NULL) sum += strlen(string);
}

static void read_entries(const ws_segment *segment)
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

static void read_sections(const ws_segment *segment)
{
    for (unsigned number = 0; number < WS_SECTION_COUNT; number++) {
        ws_section_view view = ws_segment_section(segment, (ws_section)number);
        for (size_t at = 0; at < view.size; at++) sum += ((const uint8_t *)view.bytes)[at];
    }
}

/* Compaction reads the index of segments that others wrote. */
static void copy_index(const ws_segment *segment)
{
    ws_segment_writer *writer = fixture_writer(0);
    sum += ws_segment_writer_copy_index(writer, segment);
    ws_segment_writer_free(writer);
}

/* Sealed, so that nothing is asked of the disk. */
static void ask_index(const ws_segment *segment)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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

#ifdef STANDALONE

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Numbers that bounds checks get wrong, small ones, any ones. */
static uint64_t odd_number(uint64_t *state)
{
    static const uint64_t odd[] = { 0, 1, 15, 16, 127, 128, INT32_MAX, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_MAX - 15, UINT64_MAX };

    switch (next_random(state) % 3) {
    case 0: return odd[next_random(state) % (sizeof odd / sizeof odd[0])];
    case 1: return next_random(state) % 2048;
    default: return next_random(state);
    }
}

/* One field overwritten; three times in four behind the header, where damage does not end at open. */
static void damage(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const size_t widths[] = { 1, 2, 4, 4, 8, 8 };
    size_t width = widths[next_random(state) % 6];
    size_t first = next_random(state) % 4 ? (size_t)WS_ALIGN(sizeof(ws_segment_header)) : 0;
    size_t at = first + next_random(state) % ((size - first) / width) * width;
    uint64_t number = odd_number(state);

    memcpy(bytes + at, &number, width);
}

static int run_random(uint64_t count, uint64_t seed)
{
    fixture_bytes sample = fixture_written(fixture_sample(WS_SEGMENT_REPRODUCIBLE), NULL);
    uint64_t state = seed | 1;
    uint8_t *bytes = malloc(sample.size);

    if (bytes == NULL) return 1;
    sum = 0;
    for (uint64_t round = 0; round < count; round++) {
        memcpy(bytes, sample.bytes, sample.size);
        for (uint64_t changes = next_random(&state) % 6; changes > 0; changes--) damage(bytes, sample.size, &state);
        LLVMFuzzerTestOneInput(bytes, next_random(&state) % 64 ? sample.size : next_random(&state) % sample.size);
    }
    printf("%" PRIu64 " inputs, seed %" PRIu64 ": nothing found\n", count, seed);
    free(bytes);
    free(sample.bytes);
    return 0;
}

static int run_file(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0) {
        perror(path);
        return 1;
    }
    fixture_bytes input = fixture_read(descriptor);
    close(descriptor);
    LLVMFuzzerTestOneInput(input.bytes, input.size);
    free(input.bytes);
    return 0;
}

static int write_sample(const char *path)
{
    fixture_bytes sample = fixture_written(fixture_sample(WS_SEGMENT_REPRODUCIBLE), NULL);
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(sample.bytes, 1, sample.size, file) == sample.size;

    if (file == NULL || fclose(file) != 0 || !written) perror(path);
    free(sample.bytes);
    return !written;
}

int main(int count, char **arguments)
{
    int failures = 0;

    if (count >= 3 && strcmp(arguments[1], "--random") == 0)
        return run_random(strtoull(arguments[2], NULL, 10), count > 3 ? strtoull(arguments[3], NULL, 10) : 1);
    if (count == 3 && strcmp(arguments[1], "--sample") == 0) return write_sample(arguments[2]);
    for (int i = 1; i < count; i++) failures += run_file(arguments[i]);
    return failures > 0;
}

#endif

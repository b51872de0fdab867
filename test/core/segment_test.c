/* Segments: what is opened, what is refused, and that nothing read from one leads outside. See core/image/segment.h. */
#include "test.h"

#include "image_fixture.h"

/* Opens, looks up and reads every entry; true when nothing was refused and every payload is the one that was written.
 */
static bool
is_intact(const uint8_t *bytes, size_t size)
{
    ws_segment segment;
    ws_image image;
    ws_error error;

    if (fixture_open(&segment, bytes, size, fixture_key_hash(), &error) != WS_OK) return false;
    fixture_image(&image, &segment);
    bool intact = segment.entry_count == FIXTURE_FILES;
    for (uint32_t i = 0; intact && i < FIXTURE_FILES; i++) {
        const uint8_t *payload;
        ws_found found = ws_image_find(&image, fixture_paths[i], strlen(fixture_paths[i]));
        intact = found.entry != NULL && ws_image_payload(&image, found, &payload, &error) == WS_OK &&
                 found.entry->payload_size == strlen(fixture_payloads[i]) &&
                 memcmp(payload, fixture_payloads[i], found.entry->payload_size) == 0;
    }
    ws_segment_close(&segment);
    return intact;
}

/* The code with which damaged bytes are refused, checksums being right. */
static ws_code
sealed_code(fixture_bytes sample)
{
    ws_segment segment;
    ws_error error;

    fixture_seal(sample.bytes, sample.size);
    ws_code code = fixture_open(&segment, sample.bytes, sample.size, 0, &error);
    if (code == WS_OK) ws_segment_close(&segment);
    return code;
}

static ws_segment_header *
header_of(fixture_bytes sample)
{
    return (ws_segment_header *)(void *)sample.bytes;
}

TEST("an intact segment opens and gives back what was written")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    ws_segment segment;
    ws_error error;

    CHECK(is_intact(sample.bytes, sample.size));
    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, 0, &error), WS_OK);
    CHECK_EQUAL(segment.header->file_size, sample.size);
    ws_section_view view = ws_segment_section(&segment, WS_SECTION_KEY);
    CHECK_SIZE(view.size, sizeof fixture_key - 1);
    CHECK(memcmp(view.bytes, fixture_key, view.size) == 0);
    view = ws_segment_section(&segment, WS_SECTION_STATISTICS);
    CHECK(view.size == sizeof fixture_statistics - 1 && memcmp(view.bytes, fixture_statistics, view.size) == 0);
    CHECK(ws_segment_find(&segment, "/nowhere", 8, ws_hash64("/nowhere", 8, WS_SEED_NAME)) == NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("sections lie one after the other and the padding between them is zero")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    const ws_segment_header *header = header_of(sample);
    uint64_t end = WS_ALIGN(sizeof *header);

    for (unsigned i = 0; i <= WS_SECTION_PAYLOADS; i++) {
        const ws_section_header *section = &header->sections[i];
        CHECK_EQUAL(section->offset, end);
        for (uint64_t at = section->offset + section->size; at < WS_ALIGN(section->offset + section->size); at++)
            CHECK_EQUAL(sample.bytes[at], 0);
        end = WS_ALIGN(section->offset + section->size);
    }
    CHECK_EQUAL(end, sample.size);
    free(sample.bytes);
}

/* Not a sample of them: all, 8 times the size of the file. Nothing is free, not even padding. */
TEST("any single flipped bit is refused at open or when the payload is used")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);

    CHECK(is_intact(sample.bytes, sample.size));
    for (size_t bit = 0; bit < sample.size * 8; bit++) {
        sample.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (is_intact(sample.bytes, sample.size))
            test_fail(__FILE__, __LINE__, "bit %zu of byte %zu is free", bit % 8, bit / 8);
        sample.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    CHECK(is_intact(sample.bytes, sample.size));
    free(sample.bytes);
}

TEST("any two bytes overwritten at random are refused")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    uint64_t state = 42;

    for (int i = 0; i < 5000; i++) {
        size_t at[2] = { test_random(&state) % sample.size, test_random(&state) % sample.size };
        uint8_t before[2] = { sample.bytes[at[0]], sample.bytes[at[1]] };
        sample.bytes[at[0]] = (uint8_t)(before[0] + 1 + test_random(&state) % 255);
        if (at[1] != at[0]) sample.bytes[at[1]] = (uint8_t)test_random(&state);
        CHECK(!is_intact(sample.bytes, sample.size));
        sample.bytes[at[1]] = before[1];
        sample.bytes[at[0]] = before[0];
    }
    free(sample.bytes);
}

TEST("a segment cut anywhere is truncated")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    ws_segment segment;
    ws_error error;

    for (size_t size = 0; size < sample.size; size++)
        CHECK_EQUAL(fixture_open(&segment, sample.bytes, size, 0, &error), WS_TRUNCATED);
    free(sample.bytes);
}

TEST("a segment with something behind it is refused")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    uint8_t *longer = calloc(1, sample.size + 16);
    ws_segment segment;
    ws_error error;

    memcpy(longer, sample.bytes, sample.size);
    CHECK_EQUAL(fixture_open(&segment, longer, sample.size + 16, 0, &error), WS_BOUNDS);
    free(longer);
    free(sample.bytes);
}

TEST("each reason to refuse has its code")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    ws_segment_header *header = header_of(sample);
    ws_segment segment;
    ws_error error;

    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, fixture_key_hash() + 1, &error), WS_KEY);
    CHECK_STRING(error.path, "sample");
    header->magic[0] = 'X';
    CHECK_EQUAL(sealed_code(sample), WS_MAGIC);
    memcpy(header->magic, WS_SEGMENT_MAGIC, 8);
    header->format_version = 2;
    CHECK_EQUAL(sealed_code(sample), WS_FORMAT);
    header->format_version = WS_FORMAT_VERSION;
    header->byte_order = UINT32_C(0x04030201);
    CHECK_EQUAL(sealed_code(sample), WS_FORMAT);
    header->byte_order = WS_BYTE_ORDER;
    header->segment_id = 0;
    CHECK_EQUAL(sealed_code(sample), WS_BOUNDS);
    header->segment_id = 1;
    CHECK_EQUAL(sealed_code(sample), WS_OK);
    header->reserved = 1;
    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, 0, &error), WS_CHECKSUM);
    free(sample.bytes);
}

static const uint64_t wild[] = { 0,
                                 1,
                                 8,
                                 15,
                                 16,
                                 127,
                                 456,
                                 464,
                                 480,
                                 4096,
                                 UINT32_MAX,
                                 UINT64_C(1) << 32,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX - 15,
                                 UINT64_MAX };
enum { WILD = sizeof wild / sizeof wild[0] };

TEST("a section that lies elsewhere, overlaps or overflows is out of bounds")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    ws_segment_header *header = header_of(sample);

    for (unsigned i = 0; i < WS_SECTION_COUNT; i++) {
        const ws_section_header before = header->sections[i];
        for (int j = 0; j < WILD; j++) {
            for (int k = 0; k < WILD; k++) {
                header->sections[i].offset = wild[j];
                header->sections[i].size = wild[k];
                if (memcmp(&before, &header->sections[i], 16) == 0) continue;
                CHECK(sealed_code(sample) != WS_OK);
            }
            header->sections[i] = before;
            header->sections[i].size = wild[j];
            if (WS_ALIGN(wild[j]) != WS_ALIGN(before.size)) CHECK(sealed_code(sample) != WS_OK);
        }
        header->sections[i] = before;
    }
    CHECK_EQUAL(sealed_code(sample), WS_OK);
    free(sample.bytes);
}

TEST("an entry count that differs from the section's size is out of bounds")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);

    header_of(sample)->entry_count++;
    CHECK_EQUAL(sealed_code(sample), WS_BOUNDS);
    header_of(sample)->entry_count = 0;
    CHECK_EQUAL(sealed_code(sample), WS_BOUNDS);
    free(sample.bytes);
}

/* So that reads are not optimised away. */
static volatile uint64_t sum;

/* Everything that a reader may ask of an open segment. The sanitizer is the judge. */
static void
ask_everything(const ws_segment *segment)
{
    ws_image image;

    fixture_image(&image, segment);
    for (uint32_t i = 0; i < segment->entry_count; i++) {
        ws_found found = { &segment->entries[i], segment };
        const uint8_t *payload;
        const char *string = ws_segment_string(segment, found.entry->path_offset, found.entry->path_size);
        if (string != NULL) sum += strlen(string);
        if (ws_image_payload(&image, found, &payload, NULL) == WS_OK && found.entry->payload_size > 0)
            sum += payload[found.entry->payload_size - 1];
    }
    for (uint32_t i = 0; i < FIXTURE_FILES; i++) {
        ws_found found = ws_image_find(&image, fixture_paths[i], strlen(fixture_paths[i]));
        if (found.entry != NULL) sum += found.entry->size;
    }
    ws_image_find(&image, "", 0);
}

TEST("wild numbers under right checksums lead nowhere")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    uint64_t state = 7;
    unsigned opened = 0;

    for (int round = 0; round < 20000; round++) {
        uint8_t *hostile = malloc(sample.size);
        ws_segment segment;
        memcpy(hostile, sample.bytes, sample.size);
        for (uint64_t changes = 1 + test_random(&state) % 4; changes > 0; changes--) {
            uint64_t number = test_random(&state) % 3 ? wild[test_random(&state) % WILD] : test_random(&state) % 600;
            size_t width = test_random(&state) % 2 ? 4 : 8;
            size_t first = round % 4 == 0 ? 16 : (size_t)WS_ALIGN(sizeof(ws_segment_header));
            size_t at = first + test_random(&state) % ((sample.size - first) / width) * width;
            if (at + width <= sample.size) memcpy(hostile + at, &number, width);
        }
        fixture_seal(hostile, sample.size);
        if (fixture_open(&segment, hostile, sample.size, 0, NULL) == WS_OK) {
            opened++;
            ask_everything(&segment);
            ws_segment_close(&segment);
        }
        free(hostile);
    }
    CHECK(opened > 10000);
    free(sample.bytes);
}

TEST("probing ends in a table without a free slot")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    const ws_section_header *section = &header_of(sample)->sections[WS_SECTION_ENTRY_TABLE];
    ws_segment segment;
    ws_error error;

    for (uint64_t at = 0; at < section->size; at += 4) {
        uint32_t number = at % 8 ? 1 : UINT32_MAX;
        memcpy(sample.bytes + section->offset + at, &number, 4);
    }
    fixture_seal(sample.bytes, sample.size);
    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, 0, &error), WS_OK);
    for (uint64_t hash = 0; hash < 64; hash++) CHECK(ws_segment_find(&segment, "/nowhere", 8, hash) == NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("strings are checked for bounds and for their end")
{
    fixture_bytes sample = fixture_written(fixture_sample(0), NULL);
    ws_segment segment;
    ws_error error;

    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, 0, &error), WS_OK);
    const ws_entry *entry = &segment.entries[0];
    CHECK_STRING(ws_segment_string(&segment, entry->path_offset, entry->path_size), fixture_paths[0]);
    CHECK(ws_segment_string(&segment, entry->path_offset, entry->path_size - 1) == NULL);
    CHECK(ws_segment_string(&segment, entry->path_offset, UINT32_MAX) == NULL);
    CHECK(ws_segment_string(&segment, UINT32_MAX, 0) == NULL);
    CHECK(ws_segment_string(&segment, (uint32_t)segment.strings_size, 0) == NULL);
    CHECK(ws_segment_string(&segment, (uint32_t)segment.strings_size - 1, 0) != NULL);
    CHECK(ws_segment_string(&segment, (uint32_t)segment.strings_size - 1, 1) == NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

TEST("a segment without entries and without an index opens")
{
    fixture_bytes sample = fixture_written(fixture_writer(0), NULL);
    ws_segment segment;
    ws_error error;

    CHECK_EQUAL(fixture_open(&segment, sample.bytes, sample.size, fixture_key_hash(), &error), WS_OK);
    CHECK(ws_segment_find(&segment, "/x", 2, 1) == NULL);
    CHECK(ws_segment_string(&segment, 0, 0) == NULL);
    CHECK(ws_segment_section(&segment, WS_SECTION_FEATURES).bytes == NULL);
    ws_segment_close(&segment);
    free(sample.bytes);
}

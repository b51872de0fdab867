/* Fuzzes the load-path index. Names are looked up in a segment whose index is damaged but has right checksums. The load
 * path and the features come from the input: a byte of flags; six texts, each a byte for its size and its bytes (three
 * load-path entries, three features); then damage, four bytes each: where (16 bits), what (16 bits). */
#include "fuzz.h"

#include "core/index/feature_index.h"
#include "image_fixture.h"

const fuzz_kind fuzz_target = { false, 32 };

enum { LOAD_PATHS = 3, FEATURES = 3 };

void
fuzz_seeds(fuzz_take take, void *context)
{
    static const char plain[] = "\0\4/lib\1/\4/tmp\4json\7json.rb\3a/b",
                      damaged[] = "\1\4/lib\4/lib\1x\7json.so\4json\1a\0\3\1\0\x40\2\xff\xff\x80\0\2\0";

    take(context, plain, sizeof plain - 1);
    take(context, damaged, sizeof damaged - 1);
}

static ws_text
next_text(const uint8_t **at, const uint8_t *end)
{
    size_t size = *at < end ? *(*at)++ : 0;

    if (size > (size_t)(end - *at)) size = (size_t)(end - *at);
    ws_text text = { fuzz_copy(*at, size), size };
    *at += size;
    return text;
}

/* Damages only the index; segment_fuzz damages the rest. */
static void
damage(fixture_bytes *segment, const uint8_t *at, const uint8_t *end)
{
    ws_segment_header header;

    memcpy(&header, segment->bytes, sizeof header);
    for (; end - at >= 4; at += 4) {
        uint16_t where, what;
        memcpy(&where, at, 2);
        memcpy(&what, at + 2, 2);
        size_t place = sizeof header + where % (segment->size - sizeof header - 1);
        memcpy(segment->bytes + place, &what, 2);
    }
    fixture_seal(segment->bytes, segment->size);
}

static void
ask(ws_feature_index *index, const ws_text *texts)
{
    char path[512];
    ws_load_path_item items[LOAD_PATHS];

    for (size_t i = 0; i < LOAD_PATHS; i++) {
        bool absolute = texts[i].size > 0 && texts[i].bytes[0] == '/';
        items[i] = (ws_load_path_item){ texts[i].bytes, texts[i].size,
                                        absolute ? WS_LOAD_PATH_ABSOLUTE : WS_LOAD_PATH_OPAQUE };
    }
    for (size_t round = 0; round < 2; round++) {
        if (!ws_feature_index_set_load_path(index, items, LOAD_PATHS - round)) return;
        for (size_t i = LOAD_PATHS; i < LOAD_PATHS + FEATURES; i++) {
            ws_feature_answer answer = ws_feature_index_find(index, texts[i].bytes, texts[i].size, path, sizeof path);
            FUZZ_CHECK(answer.reason != NULL && answer.path_size < sizeof path);
            if (answer.answer != WS_ANSWER_SEARCH) FUZZ_CHECK(answer.path_size > 0 && path[answer.path_size] == '\0');
            ws_feature_index_lacks_rb(index, texts[i].bytes, texts[i].size);
            ws_feature_index_lacks(index, texts[i].bytes, texts[i].size);
        }
        ws_feature_index_forget(index);
    }
    ws_feature_index_outdated(index);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fixture_bytes sample;
    const uint8_t *at = data, *end = data + size;
    ws_text texts[LOAD_PATHS + FEATURES];
    ws_segment segment;

    if (size == 0 || size > 4096) return 0;
    if (sample.bytes == NULL) sample = fixture_written(fixture_sample(WS_SEGMENT_REPRODUCIBLE), NULL);
    bool sealed = *at++ & 1;
    for (size_t i = 0; i < LOAD_PATHS + FEATURES; i++) texts[i] = next_text(&at, end);
    fixture_bytes copy = { fuzz_copy(sample.bytes, sample.size), sample.size };
    damage(&copy, at, end);
    if (fixture_open(&segment, copy.bytes, copy.size, 0, NULL) == WS_OK) {
        ws_feature_index *index = ws_feature_index_new(&segment, sealed, "so", NULL);
        if (index != NULL) ask(index, texts);
        ws_feature_index_free(index);
        ws_segment_close(&segment);
    }
    free(copy.bytes);
    for (size_t i = 0; i < LOAD_PATHS + FEATURES; i++) free((void *)texts[i].bytes);
    return 0;
}

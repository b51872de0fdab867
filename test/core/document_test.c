/* The bytes of a document, as far as they need no Ruby: numbers, headers, and the look for tags. */
#include "test.h"

#include "core/image/document.h"

static bool
surely_untagged(const char *text)
{
    return ws_document_surely_untagged(text, strlen(text));
}

TEST("numbers come back")
{
    const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX };
    ws_bytes bytes = { 0 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) ws_bytes_number(&bytes, numbers[i]);
    ws_document_input input = { bytes.start, bytes.start + bytes.size, false };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) CHECK(ws_document_number(&input) == numbers[i]);
    CHECK(!input.failed);
    CHECK(input.at == input.end);
    ws_bytes_free(&bytes);
}

TEST("a number that is cut off, or too long, fails")
{
    static const uint8_t cut[] = { 0x80, 0x80 },
                         long_one[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
    ws_document_input input = { cut, cut + sizeof cut, false };
    CHECK(ws_document_number(&input) == 0);
    CHECK(input.failed);
    input = (ws_document_input){ long_one, long_one + sizeof long_one, false };
    CHECK(ws_document_number(&input) == 0);
    CHECK(input.failed);
    input = (ws_document_input){ cut, cut, false };
    ws_document_number(&input);
    CHECK(input.failed);
}

TEST("bytes are taken only while there are some")
{
    static const uint8_t bytes[] = "abc";
    ws_document_input input = { bytes, bytes + 3, false };
    CHECK(memcmp(ws_document_take(&input, 2), "ab", 2) == 0);
    CHECK(ws_document_take(&input, 2) == NULL);
    CHECK(input.failed);
    input = (ws_document_input){ bytes, bytes + 3, false };
    CHECK(ws_document_take(&input, UINT64_MAX) == NULL);
    CHECK(input.failed);
}

TEST("a header must be whole, ours, and claim no more than there are bytes")
{
    struct {
        ws_document_header header;
        uint8_t rest[8];
    } bytes = { { WS_DOCUMENT_MAGIC, WS_DOCUMENT_STORED, 1, 2, 3, 8 }, { 0 } };
    ws_document_header header;
    ws_document_input input;
    CHECK(ws_document_open(&input, &header, &bytes, sizeof bytes));
    CHECK(header.string_count == 2 && header.stack_size == 8);
    CHECK(input.end - input.at == 8);
    for (size_t size = 0; size < sizeof header; size++) CHECK(!ws_document_open(&input, &header, &bytes, size));
    for (uint32_t *field = &bytes.header.magic; field <= &bytes.header.stack_size; field++) {
        uint32_t right = *field;
        *field = 9;
        CHECK(!ws_document_open(&input, &header, &bytes, sizeof bytes));
        *field = right;
    }
}

TEST("a tag stands where a token begins")
{
    CHECK(surely_untagged(""));
    CHECK(surely_untagged("a: hello\n"));
    CHECK(surely_untagged("a: hello!\nb: 3! x\nc: caf\xc3\xa9!\n"));
    static const char *const doubtful[] = { "!a b",
                                            "a: !t 1",
                                            "- !t",
                                            "[!t a]",
                                            "{a: !t b}",
                                            "a: ! 'x'",
                                            "? !t a",
                                            "\"a\"!t",
                                            "a:\n!t b",
                                            "\xef\xbb\xbf!t a",
                                            "a\xe2\x80\xa8!t b",
                                            "a\xe2\x80\xa9!t",
                                            "a\xc2\x85!t",
                                            "a: x !",
                                            "&a !t",
                                            "a_!",
                                            "!!",
                                            "a: b!!c" };
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++) CHECK(!surely_untagged(doubtful[i]));
}

/* Fuzzes what reads the bytes of a stored document, as far as that needs no Ruby: the header, the symbols and strings,
 * and each instruction's numbers and bytes, read as ruby/documents/document_reader.c reads them. The search for tags in
 * a text is fuzzed, too. */
#include "fuzz.h"

#include "core/image/document.h"

const fuzz_kind fuzz_target = { false, sizeof(ws_document_header) };

static volatile uint64_t sum;

void
fuzz_seeds(fuzz_take take, void *context)
{
    ws_document_header header = { WS_DOCUMENT_MAGIC, WS_DOCUMENT_STORED, 1, 1, 1, 8 };
    double number = 2.5;
    ws_bytes bytes = { 0 };

    ws_bytes_add(&bytes, &header, sizeof header);
    for (int i = 0; i < 2; i++) {
        ws_bytes_number(&bytes, 4);
        ws_bytes_add(&bytes, "name", 4);
    }
    for (uint64_t op = WS_DOCUMENT_NIL; op < WS_DOCUMENT_OP_COUNT; op++) {
        ws_bytes_op(&bytes, (ws_document_op)op);
        if (op == WS_DOCUMENT_FLOAT) ws_bytes_add(&bytes, &number, sizeof number);
        else if (op > WS_DOCUMENT_FALSE)
            ws_bytes_number(&bytes, op >= WS_DOCUMENT_TEXT && op <= WS_DOCUMENT_FROZEN_TEXT ? 3 : 0);
        if (op >= WS_DOCUMENT_TEXT && op <= WS_DOCUMENT_FROZEN_TEXT) ws_bytes_add(&bytes, "abc", 3);
    }
    ws_bytes_op(&bytes, WS_DOCUMENT_END);
    if (bytes.failed) abort();
    take(context, bytes.start, bytes.size);
    ws_bytes_free(&bytes);
    take(context, "a: &b !t 1\nc: [!!x y, z!]\n", 26);
}

static void
read_bytes(ws_document_input *input, uint64_t size)
{
    const char *bytes = ws_document_take(input, size);

    FUZZ_CHECK(bytes != NULL || input->failed);
    for (uint64_t i = 0; bytes != NULL && i < size; i++) sum += (uint8_t)bytes[i];
}

static bool
read_instruction(ws_document_input *input)
{
    uint64_t op = ws_document_number(input);

    if (input->failed || op == WS_DOCUMENT_END || op >= WS_DOCUMENT_OP_COUNT) return false;
    if (op == WS_DOCUMENT_FLOAT) read_bytes(input, 8);
    else if (op > WS_DOCUMENT_FALSE) {
        uint64_t number = ws_document_number(input);
        if (op == WS_DOCUMENT_TEXT || op == WS_DOCUMENT_TEXT_WIDE || op == WS_DOCUMENT_FROZEN_TEXT)
            read_bytes(input, number);
    }
    return !input->failed;
}

/* Looks at each character by itself. A text surely has no tags if each "!" in it follows a letter, a digit or a byte
 * beyond ASCII. */
static void
look_for_tags(const char *text, size_t size)
{
    bool doubtful = false;

    for (size_t i = 0; i < size; i++)
        if (text[i] == '!' &&
            (i == 0 || ((uint8_t)text[i - 1] < 0x80 && strchr(" \t\r\n,[]{}:-?&*!|>'\"%@`", text[i - 1]) != NULL)))
            doubtful = true;
    if (doubtful) FUZZ_CHECK(!ws_document_surely_untagged(text, size));
    if (memchr(text, '!', size) == NULL) FUZZ_CHECK(ws_document_surely_untagged(text, size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = fuzz_copy(data, size);
    ws_document_header header;
    ws_document_input input;

    look_for_tags((const char *)bytes, size);
    if (ws_document_open(&input, &header, bytes, size)) {
        FUZZ_CHECK(header.symbol_count <= size && header.string_count <= size);
        for (uint64_t i = 0; i < (uint64_t)header.symbol_count + header.string_count && !input.failed; i++)
            read_bytes(&input, ws_document_number(&input));
        while (!input.failed && read_instruction(&input)) sum++;
        FUZZ_CHECK(input.at <= input.end && input.end == bytes + size);
    }
    free(bytes);
    return 0;
}

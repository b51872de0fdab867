/* The bytes of a stored document (the parsed result of a YAML file): docs/image_format.md says the same in words. A
 * header, the symbols, the strings that hash keys are, then instructions of a stack machine, each of which pushes a
 * value or makes one of the topmost: no recursion, and nothing to look up. Numbers are LEB128 but for the header's.
 *
 * No Ruby in here: ruby/documents/document_writer.c makes it, ruby/documents/document_reader.c turns it into objects.
 */
#ifndef WARMSTART_CORE_DOCUMENT_H
#define WARMSTART_CORE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_DOCUMENT_MAGIC 0x31445357u /* "WSD1" */

/* What the entry says: a document, or why the file has none, so that nobody tries again as long as it is the same. */
typedef enum ws_document_kind {
    WS_DOCUMENT_STORED,
    WS_DOCUMENT_TAGGED,    /* it has tags: what they mean is the program's to say */
    WS_DOCUMENT_NOT_PLAIN, /* its value, or a part, is none that we can prove to make equal */
    WS_DOCUMENT_KIND_COUNT
} ws_document_kind;

typedef struct ws_document_header {
    uint32_t magic, kind;
    uint32_t symbol_count, string_count; /* each: size, bytes (UTF-8) */
    uint32_t register_count;             /* objects that occur more than once */
    uint32_t stack_size;                 /* the most values that wait at a time */
} ws_document_header;

typedef enum ws_document_op {
    WS_DOCUMENT_END, /* the one value on the stack is the document */
    WS_DOCUMENT_NIL,
    WS_DOCUMENT_TRUE,
    WS_DOCUMENT_FALSE,
    WS_DOCUMENT_POSITIVE,    /* n: the Integer */
    WS_DOCUMENT_NEGATIVE,    /* n: the Integer -1 - n */
    WS_DOCUMENT_FLOAT,       /* 8 bytes: the double */
    WS_DOCUMENT_SYMBOL,      /* n: number of a symbol */
    WS_DOCUMENT_KEY,         /* n: number of a string of the table: frozen and interned */
    WS_DOCUMENT_TEXT,        /* n: size; bytes: a new String, ASCII only */
    WS_DOCUMENT_TEXT_WIDE,   /* the same, with other characters */
    WS_DOCUMENT_FROZEN_TEXT, /* n: size; bytes: frozen and interned */
    WS_DOCUMENT_DATE,        /* n: its Julian day; 8 bytes: the double of its calendar reform (Date#start) */
    WS_DOCUMENT_FROZEN_DATE,
    WS_DOCUMENT_ARRAY, /* n: of so many of the topmost values */
    WS_DOCUMENT_FROZEN_ARRAY,
    WS_DOCUMENT_HASH, /* n: of so many pairs of the topmost values: key, value, key, value */
    WS_DOCUMENT_FROZEN_HASH,
    WS_DOCUMENT_STORE, /* n: the topmost value stays, and is register n */
    WS_DOCUMENT_FETCH, /* n: pushes register n */
    WS_DOCUMENT_OP_COUNT
} ws_document_op;

/* Integers beyond this are not stored: they need no more than a Fixnum on every platform. */
#define WS_DOCUMENT_INTEGER_MAXIMUM ((UINT64_C(1) << 61) - 1)

/* ---- writing ---- */

typedef struct ws_bytes {
    uint8_t *start;
    size_t size, capacity;
    bool failed;
} ws_bytes;

void ws_bytes_add(ws_bytes *bytes, const void *more, size_t size);
void ws_bytes_number(ws_bytes *bytes, uint64_t number);
void ws_bytes_op(ws_bytes *bytes, ws_document_op op);
void ws_bytes_free(ws_bytes *bytes);

/* ---- reading ---- */

typedef struct ws_document_input {
    const uint8_t *at, *end;
    bool failed;
} ws_document_input;

/* A number, 0 and failed when the bytes end or it has more than 64 bits. */
static inline uint64_t
ws_document_number(ws_document_input *input)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && input->at < input->end; shift += 7) {
        uint8_t byte = *input->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
    input->failed = true;
    return 0;
}

/* So many bytes, or NULL and failed. */
static inline const char *
ws_document_take(ws_document_input *input, uint64_t size)
{
    if (size > (uint64_t)(input->end - input->at)) {
        input->failed = true;
        return NULL;
    }
    const char *bytes = (const char *)input->at;
    input->at += size;
    return bytes;
}

/* Fills the header and sets the input behind it. false: these bytes are no document, or claim more symbols, strings,
 * registers or stack than so many bytes can need. */
bool ws_document_open(ws_document_input *input, ws_document_header *header, const void *bytes, size_t size);

/* ---- tags ---- */

/* Can these bytes hold no tag, as far as a look at their exclamation marks tells? A tag begins with one, where a token
 * begins: never right behind a letter, a digit or a character beyond ASCII. */
bool ws_document_surely_untagged(const char *bytes, size_t size);

#endif

/* The bytes of a stored document, which is the parsed result of a YAML file (docs/image_format.md has the same in
 * words). They are a header, the symbols, the strings that are keys of hashes, and then instructions of a stack
 * machine. Each instruction pushes a value or makes one out of the topmost values, so a reader needs no recursion and
 * looks nothing up. Numbers outside the header are LEB128.
 *
 * This file knows no Ruby: ruby/documents/document_writer.c writes documents, and ruby/documents/document_reader.c
 * turns them into objects. */
#ifndef WARMSTART_CORE_DOCUMENT_H
#define WARMSTART_CORE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_DOCUMENT_MAGIC 0x32445357u /* "WSD2" */

/* What an entry holds: a document, or the reason why the file has none. With the reason stored, nobody tries again
 * until the file changes. */
typedef enum ws_document_kind {
    WS_DOCUMENT_STORED,
    WS_DOCUMENT_TAGGED,    /* it has tags, whose meaning the program decides */
    WS_DOCUMENT_NOT_PLAIN, /* we cannot prove that we would make an equal value */
    WS_DOCUMENT_KIND_COUNT
} ws_document_kind;

typedef struct ws_document_header {
    uint32_t magic, kind;
    uint32_t symbol_count, string_count; /* each stored as its size and its bytes (UTF-8) */
    uint32_t register_count;             /* objects that occur more than once */
    uint32_t stack_size;                 /* the most values that are on the stack at once */
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
    WS_DOCUMENT_KEY,         /* n: number of a key string, which is frozen and interned */
    WS_DOCUMENT_TEXT,        /* n: size; bytes: a new String, ASCII only */
    WS_DOCUMENT_TEXT_WIDE,   /* the same with characters beyond ASCII */
    WS_DOCUMENT_FROZEN_TEXT, /* n: size; bytes: frozen and interned */
    WS_DOCUMENT_ARRAY,       /* n: made of the topmost n values */
    WS_DOCUMENT_FROZEN_ARRAY,
    WS_DOCUMENT_HASH, /* n: made of the topmost n pairs of values: key, value, key, value */
    WS_DOCUMENT_FROZEN_HASH,
    WS_DOCUMENT_STORE, /* n: copies the topmost value into register n */
    WS_DOCUMENT_FETCH, /* n: pushes register n */
    WS_DOCUMENT_OP_COUNT
} ws_document_op;

/* Larger Integers are not stored. An Integer up to this limit is a Fixnum on every platform. */
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

/* Reads a number. When the bytes end or the number has more than 64 bits, it returns 0 and sets `failed`. */
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

/* Takes `size` bytes. When fewer are left, it returns NULL and sets `failed`. */
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

/* Reads the header and places the input behind it. false: the bytes are no document, or they claim more symbols,
 * strings, registers or stack than a document of this size can need. */
bool ws_document_open(ws_document_input *input, ws_document_header *header, const void *bytes, size_t size);

/* ---- tags ---- */

/* Do the exclamation marks in these bytes prove that there is no tag? A tag begins with an exclamation mark where a
 * token begins, and never right after a letter, a digit or a character beyond ASCII. */
bool ws_document_surely_untagged(const char *bytes, size_t size);

#endif

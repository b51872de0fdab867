/* Turns the bytes of a document (core/image/document.h) into objects. Each step checks that it stays inside the bytes
 * and the stack, so that reading arbitrary bytes can only fail. A checksum has been compared before.
 *
 * For speed, an Array or Hash is made at its final size from the topmost values. A symbol is looked up in Ruby's table
 * once in a process, because several documents share symbols (all locales have the same keys). */
#include <stdlib.h>
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/bytes/hash.h"
#include "core/bytes/table.h"
#include "core/image/document.h"
#include "core/image/image_format.h"
#include "ruby/documents/documents.h"
#include "ruby/private/needs.h"

typedef struct ws_reader {
    ws_document_input input;
    ws_document_header header;
    VALUE *symbols, *strings, *registers, *stack;
    uint32_t height;
} ws_reader;

/* ---- symbols, once a process ---- */

#define SYMBOLS_MAXIMUM 65536u
static struct {
    ID ids[SYMBOLS_MAXIMUM]; /* kept as long as the process lives, as Ruby keeps what rb_intern3 has made */
    ws_table numbers;
} known;

static bool
is_named(ID id, const char *name, size_t size)
{
    VALUE string = rb_id2str(id);
    return (size_t)RSTRING_LEN(string) == size && memcmp(RSTRING_PTR(string), name, size) == 0;
}

static VALUE
symbol_of(const char *name, size_t size)
{
    uint64_t hash = ws_hash64(name, size, WS_SEED_NAME);
    ws_probe probe = ws_table_probe(&known.numbers, hash);
    for (uint32_t number; (number = ws_table_next(&probe)) != WS_NO_NUMBER;)
        if (is_named(known.ids[number], name, size)) return ID2SYM(known.ids[number]);
    ID id = rb_intern3(name, (long)size, rb_utf8_encoding());
    uint32_t number = known.numbers.count;
    if (number < SYMBOLS_MAXIMUM && ws_table_reserve(&known.numbers, 1)) {
        known.ids[number] = id;
        ws_table_add(&known.numbers, hash, number);
    }
    return ID2SYM(id);
}

/* ---- the tables ---- */

static VALUE
interned(const char *bytes, size_t size)
{
    return rb_enc_interned_str(bytes, (long)size, rb_utf8_encoding());
}

static bool
is_utf8(const char *bytes, size_t size)
{
    int coderange = 0;
    return rb_str_coderange_scan_restartable(bytes, bytes + size, rb_utf8_encoding(), &coderange) == (long)size &&
           coderange != ENC_CODERANGE_BROKEN;
}

static void
read_table(ws_reader *reader, VALUE *table, uint32_t count, bool symbols)
{
    for (uint32_t i = 0; i < count && !reader->input.failed; i++) {
        uint64_t size = ws_document_number(&reader->input);
        const char *bytes = ws_document_take(&reader->input, size);
        if (!bytes || (symbols && !is_utf8(bytes, (size_t)size))) {
            reader->input.failed = true;
            return;
        }
        table[i] = symbols ? symbol_of(bytes, (size_t)size) : interned(bytes, (size_t)size);
    }
}

/* ---- the values ---- */

static void
push(ws_reader *reader, VALUE value)
{
    if (reader->height < reader->header.stack_size) reader->stack[reader->height++] = value;
    else reader->input.failed = true;
}

static void
push_from(ws_reader *reader, const VALUE *table, uint32_t count, uint64_t number)
{
    if (number < count && table[number]) push(reader, table[number]); /* 0 is a register that was never stored */
    else reader->input.failed = true;
}

static void
push_text(ws_reader *reader, ws_document_op op, uint64_t size)
{
    const char *bytes = ws_document_take(&reader->input, size);
    if (!bytes) return;
    if (op == WS_DOCUMENT_FROZEN_TEXT) {
        push(reader, interned(bytes, (size_t)size));
        return;
    }
    VALUE string = rb_enc_str_new(bytes, (long)size, rb_utf8_encoding());
    if (op == WS_DOCUMENT_TEXT) ENC_CODERANGE_SET(string, ENC_CODERANGE_7BIT);
    push(reader, string);
}

static void
push_float(ws_reader *reader)
{
    double number;
    const char *bytes = ws_document_take(&reader->input, sizeof number);
    if (!bytes) return;
    memcpy(&number, bytes, sizeof number);
    push(reader, DBL2NUM(number));
}

static void
make_collection(ws_reader *reader, ws_document_op op, uint64_t count)
{
    bool array = op == WS_DOCUMENT_ARRAY || op == WS_DOCUMENT_FROZEN_ARRAY;
    if (count > reader->height / (array ? 1 : 2)) {
        reader->input.failed = true;
        return;
    }
    uint32_t first = reader->height - (uint32_t)count * (array ? 1 : 2);
    const VALUE *values = reader->stack + first;
    VALUE object;
    if (array) object = rb_ary_new_from_values((long)count, values);
    else {
#ifdef HAVE_RB_HASH_NEW_CAPA
        object = rb_hash_new_capa((long)count);
#else
        object = rb_hash_new();
#endif
        rb_hash_bulk_insert((long)count * 2, values, object);
    }
    if (op == WS_DOCUMENT_FROZEN_ARRAY || op == WS_DOCUMENT_FROZEN_HASH) rb_obj_freeze(object);
    reader->height = first;
    push(reader, object);
}

static void
store(ws_reader *reader, uint64_t number)
{
    if (number < reader->header.register_count && reader->height)
        reader->registers[number] = reader->stack[reader->height - 1];
    else reader->input.failed = true;
}

static void
push_integer(ws_reader *reader, uint64_t number, bool negative)
{
    if (number > WS_DOCUMENT_INTEGER_MAXIMUM) reader->input.failed = true;
    else push(reader, negative ? LL2NUM(-1 - (long long)number) : LL2NUM((long long)number));
}

static void
step_with_number(ws_reader *reader, ws_document_op op)
{
    uint64_t number = ws_document_number(&reader->input);
    switch (op) {
        case WS_DOCUMENT_SYMBOL: push_from(reader, reader->symbols, reader->header.symbol_count, number); break;
        case WS_DOCUMENT_KEY: push_from(reader, reader->strings, reader->header.string_count, number); break;
        case WS_DOCUMENT_TEXT:
        case WS_DOCUMENT_TEXT_WIDE:
        case WS_DOCUMENT_FROZEN_TEXT: push_text(reader, op, number); break;
        case WS_DOCUMENT_ARRAY:
        case WS_DOCUMENT_FROZEN_ARRAY:
        case WS_DOCUMENT_HASH:
        case WS_DOCUMENT_FROZEN_HASH: make_collection(reader, op, number); break;
        case WS_DOCUMENT_POSITIVE:
        case WS_DOCUMENT_NEGATIVE: push_integer(reader, number, op == WS_DOCUMENT_NEGATIVE); break;
        case WS_DOCUMENT_STORE: store(reader, number); break;
        case WS_DOCUMENT_FETCH: push_from(reader, reader->registers, reader->header.register_count, number); break;
        default: reader->input.failed = true;
    }
}

/* Returns false at the end or after a failure. */
static bool
step(ws_reader *reader)
{
    if (reader->input.at >= reader->input.end) {
        reader->input.failed = true;
        return false;
    }
    ws_document_op op = (ws_document_op)*reader->input.at++;
    switch (op) {
        case WS_DOCUMENT_END: return false;
        case WS_DOCUMENT_NIL: push(reader, Qnil); break;
        case WS_DOCUMENT_TRUE: push(reader, Qtrue); break;
        case WS_DOCUMENT_FALSE: push(reader, Qfalse); break;
        case WS_DOCUMENT_FLOAT: push_float(reader); break;
        default: step_with_number(reader, op);
    }
    return !reader->input.failed;
}

/* ---- the whole ---- */

static VALUE
read_all(ws_reader *reader)
{
    VALUE holder = 0;
    size_t count = (size_t)reader->header.symbol_count + reader->header.string_count + reader->header.register_count +
                   reader->header.stack_size;
    VALUE *values = ALLOCV_N(VALUE, holder, count + 1);
    memset(values, 0, (count + 1) * sizeof *values);
    reader->symbols = values;
    reader->strings = reader->symbols + reader->header.symbol_count;
    reader->registers = reader->strings + reader->header.string_count;
    reader->stack = reader->registers + reader->header.register_count;
    read_table(reader, reader->symbols, reader->header.symbol_count, true);
    read_table(reader, reader->strings, reader->header.string_count, false);
    while (!reader->input.failed && step(reader)) continue;
    VALUE document = reader->input.failed || reader->height != 1 ? Qundef : reader->stack[0];
    ALLOCV_END(holder);
    return document;
}

VALUE
ws_document_read(const void *bytes, size_t size, const char **reason)
{
    ws_reader reader = { .height = 0 };
    *reason = "refused";
    if (!ws_document_open(&reader.input, &reader.header, bytes, size)) return Qundef;
    switch (reader.header.kind) {
        case WS_DOCUMENT_TAGGED: *reason = "tags"; return Qundef;
        case WS_DOCUMENT_NOT_PLAIN: *reason = "not_plain"; return Qundef;
        default: break;
    }
    VALUE document = read_all(&reader);
    *reason = document == Qundef ? "refused" : NULL;
    return document;
}

/* call-seq: Native.read_document(bytes) -> object, or nil if they are no document (for the tests) */
static VALUE
read_document(VALUE self, VALUE bytes)
{
    const char *reason;
    VALUE document = ws_document_read(StringValuePtr(bytes), (size_t)RSTRING_LEN(bytes), &reason);
    RB_GC_GUARD(bytes);
    return document == Qundef ? Qnil : document;
}

void
ws_init_document_reader(VALUE native)
{
    rb_define_singleton_method(native, "read_document", read_document, 1);
}

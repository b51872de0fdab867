/* Turns objects into the bytes of a document (core/image/document.h). It stores only what is certain to come back the
 * same in value, class, identity, encoding and frozenness.
 *
 * There are two passes. The first one looks at everything and finds objects that occur more than once. These are YAML's
 * aliases and merges, which a program may change in one place and see in the other. The second pass writes. No object
 * is made between them, so that no object moves. */
#include <stdlib.h>
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/st.h>

#include "core/image/document.h"
#include "ruby/documents/documents.h"
#include "ruby/private/needs.h"

/* Real documents are nested less deeply, and this is still far from the end of a stack. */
#define DEPTH_MAXIMUM 256

/* States in `seen`: an object was met once, is being looked at, is shared, or has a register. */
enum { MET_ONCE, OPEN, SHARED_UNWRITTEN, SHARED_FIRST_REGISTER };

typedef struct ws_writer {
    st_table *seen;              /* Arrays, Hashes, unfrozen Strings => state */
    st_table *symbols, *strings; /* => number */
    ws_bytes symbol_bytes, string_bytes, instructions;
    ws_document_header header;
    uint32_t stack, depth;
    bool refused;
} ws_writer;

static int utf8;

/* ---- the first pass ---- */

static void inspect(ws_writer *writer, VALUE object);

/* Returns false if the object was met before. */
static bool
meet(ws_writer *writer, VALUE object, st_data_t as)
{
    st_data_t state;
    if (!st_lookup(writer->seen, object, &state)) {
        st_insert(writer->seen, object, as);
        return true;
    }
    if (state == OPEN) writer->refused = true; /* it contains itself */
    else st_insert(writer->seen, object, SHARED_UNWRITTEN);
    return false;
}

static bool
is_text(VALUE string)
{
    if (rb_enc_get_index(string) != utf8)
        return rb_enc_get(string) == rb_usascii_encoding() && rb_enc_str_asciionly_p(string);
    return rb_enc_str_coderange(string) != ENC_CODERANGE_BROKEN;
}

static void
inspect_string(ws_writer *writer, VALUE string)
{
    if (RBASIC_CLASS(string) != rb_cString || rb_ivar_count(string) || rb_enc_get_index(string) != utf8 ||
        !is_text(string)) {
        writer->refused = true;
        return;
    }
    if (!OBJ_FROZEN(string)) {
        meet(writer, string, MET_ONCE);
        return;
    }
    if (rb_str_to_interned_str(string) != string) writer->refused = true;
}

static int
inspect_pair(VALUE key, VALUE value, VALUE argument)
{
    ws_writer *writer = (ws_writer *)argument;
    bool plain = SYMBOL_P(key) || RB_FIXNUM_P(key) || RB_FLONUM_P(key) || RB_SPECIAL_CONST_P(key);
    if (!plain && !(RB_TYPE_P(key, T_STRING) && OBJ_FROZEN(key))) writer->refused = true;
    inspect(writer, key);
    inspect(writer, value);
    return writer->refused ? ST_STOP : ST_CONTINUE;
}

static void
inspect_collection(ws_writer *writer, VALUE object)
{
    if (!meet(writer, object, OPEN)) return;
    bool array = RB_TYPE_P(object, T_ARRAY);
    if (RBASIC_CLASS(object) != (array ? rb_cArray : rb_cHash) || rb_ivar_count(object) ||
        ++writer->depth > DEPTH_MAXIMUM) {
        writer->refused = true;
        return;
    }
    if (array) {
        for (long i = 0; i < RARRAY_LEN(object) && !writer->refused; i++) inspect(writer, RARRAY_AREF(object, i));
    }
    else {
        if (!NIL_P(rb_funcallv(object, rb_intern("default"), 0, NULL)) ||
            !NIL_P(rb_funcallv(object, rb_intern("default_proc"), 0, NULL)) ||
            RTEST(rb_funcallv(object, rb_intern("compare_by_identity?"), 0, NULL)))
            writer->refused = true;
        rb_hash_foreach(object, inspect_pair, (VALUE)writer);
    }
    writer->depth--;
    st_data_t state = OPEN;
    if (st_lookup(writer->seen, object, &state) && state == OPEN) st_insert(writer->seen, object, MET_ONCE);
}

static void
inspect(ws_writer *writer, VALUE object)
{
    if (writer->refused) return;
    if (NIL_P(object) || object == Qtrue || object == Qfalse || RB_FLONUM_P(object)) return;
    if (RB_FIXNUM_P(object)) {
        long number = FIX2LONG(object);
        if ((uint64_t)(number < 0 ? -1 - number : number) > WS_DOCUMENT_INTEGER_MAXIMUM) writer->refused = true;
    }
    else if (SYMBOL_P(object)) {
        if (!is_text(rb_sym2str(object))) writer->refused = true;
    }
    else if (RB_TYPE_P(object, T_STRING)) inspect_string(writer, object);
    else if (RB_TYPE_P(object, T_ARRAY) || RB_TYPE_P(object, T_HASH)) inspect_collection(writer, object);
    /* Other Floats and Integers are heap objects, which a program may tell apart. Psych before 5.2 calls
     * `require "date"` for each Date (ScalarScanner#tokenize), which may be a method of the program's. */
    else writer->refused = true;
}

/* ---- the second pass ---- */

static void write_object(ws_writer *writer, VALUE object);

static void
push(ws_writer *writer)
{
    if (++writer->stack > writer->header.stack_size) writer->header.stack_size = writer->stack;
}

static void
write_op(ws_writer *writer, ws_document_op op, uint64_t number)
{
    ws_bytes_op(&writer->instructions, op);
    ws_bytes_number(&writer->instructions, number);
}

/* Returns the number of a symbol or key, and adds a new one to its table. */
static uint32_t
number_in(st_table *table, ws_bytes *bytes, uint32_t *count, VALUE object, VALUE text)
{
    st_data_t number;
    if (st_lookup(table, object, &number)) return (uint32_t)number;
    st_insert(table, object, *count);
    ws_bytes_number(bytes, (uint64_t)RSTRING_LEN(text));
    ws_bytes_add(bytes, RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
    return (*count)++;
}

static void
write_text(ws_writer *writer, VALUE string)
{
    ws_document_op op = rb_enc_str_asciionly_p(string) ? WS_DOCUMENT_TEXT : WS_DOCUMENT_TEXT_WIDE;
    write_op(writer, OBJ_FROZEN(string) ? WS_DOCUMENT_FROZEN_TEXT : op, (uint64_t)RSTRING_LEN(string));
    ws_bytes_add(&writer->instructions, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    push(writer);
}

static int
write_pair(VALUE key, VALUE value, VALUE argument)
{
    ws_writer *writer = (ws_writer *)argument;
    if (RB_TYPE_P(key, T_STRING)) {
        write_op(writer, WS_DOCUMENT_KEY,
                 number_in(writer->strings, &writer->string_bytes, &writer->header.string_count, key, key));
        push(writer);
    }
    else write_object(writer, key);
    write_object(writer, value);
    return ST_CONTINUE;
}

static void
write_collection(ws_writer *writer, VALUE object)
{
    bool frozen = OBJ_FROZEN(object);
    uint32_t before = writer->stack;
    if (RB_TYPE_P(object, T_ARRAY)) {
        for (long i = 0; i < RARRAY_LEN(object); i++) write_object(writer, RARRAY_AREF(object, i));
        write_op(writer, frozen ? WS_DOCUMENT_FROZEN_ARRAY : WS_DOCUMENT_ARRAY, (uint64_t)RARRAY_LEN(object));
    }
    else {
        rb_hash_foreach(object, write_pair, (VALUE)writer);
        write_op(writer, frozen ? WS_DOCUMENT_FROZEN_HASH : WS_DOCUMENT_HASH, (uint64_t)RHASH_SIZE(object));
    }
    writer->stack = before;
    push(writer);
}

/* Writes a value that is not shared: an immediate value or a Symbol. */
static void
write_immediate(ws_writer *writer, VALUE object)
{
    if (NIL_P(object)) ws_bytes_op(&writer->instructions, WS_DOCUMENT_NIL);
    else if (object == Qtrue) ws_bytes_op(&writer->instructions, WS_DOCUMENT_TRUE);
    else if (object == Qfalse) ws_bytes_op(&writer->instructions, WS_DOCUMENT_FALSE);
    else if (RB_FIXNUM_P(object)) {
        long number = FIX2LONG(object);
        if (number < 0) write_op(writer, WS_DOCUMENT_NEGATIVE, (uint64_t)(-1 - number));
        else write_op(writer, WS_DOCUMENT_POSITIVE, (uint64_t)number);
    }
    else if (RB_FLONUM_P(object)) {
        double number = RFLOAT_VALUE(object);
        ws_bytes_op(&writer->instructions, WS_DOCUMENT_FLOAT);
        ws_bytes_add(&writer->instructions, &number, sizeof number);
    }
    else
        write_op(writer, WS_DOCUMENT_SYMBOL,
                 number_in(writer->symbols, &writer->symbol_bytes, &writer->header.symbol_count, object,
                           rb_sym2str(object)));
    push(writer);
}

static void
write_object(ws_writer *writer, VALUE object)
{
    if (RB_SPECIAL_CONST_P(object) || SYMBOL_P(object)) {
        write_immediate(writer, object);
        return;
    }
    st_data_t state = MET_ONCE;
    st_lookup(writer->seen, object, &state);
    if (state >= SHARED_FIRST_REGISTER) {
        write_op(writer, WS_DOCUMENT_FETCH, state - SHARED_FIRST_REGISTER);
        push(writer);
        return;
    }
    if (RB_TYPE_P(object, T_STRING)) write_text(writer, object);
    else write_collection(writer, object);
    if (state != SHARED_UNWRITTEN) return;
    write_op(writer, WS_DOCUMENT_STORE, writer->header.register_count);
    st_insert(writer->seen, object, SHARED_FIRST_REGISTER + writer->header.register_count++);
}

/* ---- the whole ---- */

ws_bytes
ws_document_write_refusal(ws_document_kind kind)
{
    ws_document_header header = { .magic = WS_DOCUMENT_MAGIC, .kind = kind };
    ws_bytes bytes = { 0 };
    ws_bytes_add(&bytes, &header, sizeof header);
    return bytes;
}

static ws_bytes
assemble(ws_writer *writer)
{
    if (writer->refused) return ws_document_write_refusal(WS_DOCUMENT_NOT_PLAIN);
    ws_bytes bytes = { 0 };
    ws_bytes_add(&bytes, &writer->header, sizeof writer->header);
    ws_bytes_add(&bytes, writer->symbol_bytes.start, writer->symbol_bytes.size);
    ws_bytes_add(&bytes, writer->string_bytes.start, writer->string_bytes.size);
    ws_bytes_add(&bytes, writer->instructions.start, writer->instructions.size);
    bytes.failed |= writer->symbol_bytes.failed || writer->string_bytes.failed || writer->instructions.failed;
    return bytes;
}

ws_bytes
ws_document_write(VALUE document)
{
    ws_writer writer = {
        .seen = st_init_numtable(),
        .symbols = st_init_numtable(),
        .strings = st_init_numtable(),
        .header = { .magic = WS_DOCUMENT_MAGIC, .kind = WS_DOCUMENT_STORED },
    };
    inspect(&writer, document);
    if (!writer.refused) {
        write_object(&writer, document);
        ws_bytes_op(&writer.instructions, WS_DOCUMENT_END);
    }
    ws_bytes bytes = assemble(&writer);
    st_free_table(writer.seen);
    st_free_table(writer.symbols);
    st_free_table(writer.strings);
    ws_bytes_free(&writer.symbol_bytes);
    ws_bytes_free(&writer.string_bytes);
    ws_bytes_free(&writer.instructions);
    return bytes;
}

/* call-seq: Native.write_document(object) -> String, or nil if it cannot be stored (for the tests) */
static VALUE
write_document(VALUE self, VALUE document)
{
    ws_bytes bytes = ws_document_write(document);
    ws_document_header header;
    ws_document_input input;
    bool stored = !bytes.failed && ws_document_open(&input, &header, bytes.start, bytes.size) &&
                  header.kind == WS_DOCUMENT_STORED;
    VALUE string = stored ? rb_str_new((const char *)bytes.start, (long)bytes.size) : Qnil;
    ws_bytes_free(&bytes);
    return string;
}

void
ws_init_document_writer(VALUE native)
{
    utf8 = rb_utf8_encindex();
    rb_define_singleton_method(native, "write_document", write_document, 1);
}

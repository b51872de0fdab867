/* Symbols in compiled code, looked up once a process and not once a file.
 *
 * A fifth of the time of load_from_binary goes into symbols: each file brings its own list of them as text, and Ruby
 * interns each one anew. A large boot has 160,000 of them, of which 37,000 differ.
 *
 * Ruby's format (compile.c: ibf_load_object) knows two kinds of objects: those with a body, and special constants,
 * which are stored as their VALUE. A Symbol that Ruby has interned for good is such a VALUE. So a payload is copied
 * into an arena. In the copy the offsets of symbols' entries are pointed at slots behind the copy, which hold the
 * symbols' VALUEs. A slot is filled when its symbol is met first. Nothing of this is in the image, whose payloads stay
 * as to_binary has made them.
 *
 * For this we need to know the header, the list of objects and an object's first byte. ext/probes.rb tries this
 * knowledge out on the Ruby for which the extension is built, and compiled code of another version of the format is
 * left alone. An object that does not look as expected is left as it is, and Ruby makes its symbol. Only immediate
 * Symbols have slots, so there is nothing for the collector to mark or to move. */
#include "ruby/private/iseq_symbols.h"

#include <stdlib.h>
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/version.h>

#include "core/adoption/code_binary.h"
#include "core/bytes/hash.h"
#include "ruby/private/ractor.h"

enum {
    PAYLOAD_MAXIMUM = 1 << 18, /* larger files are few, and have few symbols for their size */
    SLOT_SIZE = 16,
    SLOTS_MAXIMUM = 1 << 17,
    ARENA_SIZE = PAYLOAD_MAXIMUM + SLOTS_MAXIMUM * SLOT_SIZE,
    TABLE_SIZE = SLOTS_MAXIMUM * 2,
    NAMES_MAXIMUM = 1 << 21,
    NAME_MAXIMUM = 255
};

#if defined __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)0)
#endif

_Static_assert((int)WS_BINARY_STRING == T_STRING, "the core knows no header of Ruby's");
_Static_assert((int)WS_BINARY_REGEXP == T_REGEXP, "the core knows no header of Ruby's");

/* Binary, UTF-8 and US-ASCII have the numbers 0, 1, 2 in every Ruby (encindex.h). */
enum { ENCODING_COUNT = 3 };

typedef struct known_name {
    uint32_t hash, name;
    /* The slot's number + 1, or 0 if this place of the table is free. */
    uint32_t slot;
} known_name;

static struct {
    uint8_t *arena;
    known_name *table;
    uint8_t *names; /* of each name: encoding, size, bytes */
    uint32_t names_size, count;
    bool busy;
    bool useless; /* there is no memory, or the boot is over: what is loaded now and then brings its own symbols */
    uint64_t linked_count;
} symbols;

static void
free_memory(void)
{
    free(symbols.arena);
    free(symbols.table);
    free(symbols.names);
    symbols.arena = symbols.names = NULL;
    symbols.table = NULL;
}

/* Returns false if there is none, or none is wanted any more. */
static bool
get_memory(void)
{
    if (symbols.useless) return false;
    if (symbols.arena) return true;
    symbols.arena = malloc(ARENA_SIZE);
    symbols.table = calloc(TABLE_SIZE, sizeof *symbols.table);
    symbols.names = malloc(NAMES_MAXIMUM);
    if (symbols.arena && symbols.table && symbols.names) return true;
    ws_iseq_symbols_end();
    return false;
}

/* Writes a special constant as ibf_dump_object does, in the longest form. */
static void
fill_slot(uint32_t slot, VALUE value)
{
    uint8_t *at = symbols.arena + PAYLOAD_MAXIMUM + (size_t)slot * SLOT_SIZE;
    at[0] = WS_BINARY_SPECIAL | T_NIL; /* the type of a special constant says nothing */
    at[1] = 0;
    for (int i = 0; i < 8; i++) at[2 + i] = (uint8_t)((uint64_t)value >> (56 - 8 * i));
}

/* A symbol's entry in the copy, which is number `object` of the copy's list. */
typedef struct symbol_entry {
    const uint8_t *name;
    uint32_t object, size, hash;
    uint8_t encoding;
} symbol_entry;

static bool
same_name(const known_name *known, const symbol_entry *entry)
{
    const uint8_t *at = symbols.names + known->name;
    return at[0] == entry->encoding && at[1] == entry->size && memcmp(at + 2, entry->name, entry->size) == 0;
}

/* Returns the slot of a symbol, or UINT32_MAX if it has none. */
static uint32_t
slot_of(const symbol_entry *entry)
{
    uint32_t place = entry->hash & (TABLE_SIZE - 1);
    for (; symbols.table[place].slot; place = (place + 1) & (TABLE_SIZE - 1))
        if (symbols.table[place].hash == entry->hash && same_name(&symbols.table[place], entry))
            return symbols.table[place].slot - 1;
    if (symbols.count == SLOTS_MAXIMUM || symbols.names_size + 2 + entry->size > NAMES_MAXIMUM) return UINT32_MAX;

    VALUE symbol = ID2SYM(rb_intern3((const char *)entry->name, (long)entry->size, rb_enc_from_index(entry->encoding)));
    if (!SPECIAL_CONST_P(symbol)) return UINT32_MAX; /* a Symbol that to_sym made before */
    uint8_t *text = symbols.names + symbols.names_size;
    text[0] = entry->encoding;
    text[1] = (uint8_t)entry->size;
    memcpy(text + 2, entry->name, entry->size);
    symbols.table[place] = (known_name){ entry->hash, symbols.names_size, symbols.count + 1 };
    symbols.names_size += 2 + entry->size;
    fill_slot(symbols.count, symbol);
    return symbols.count++;
}

/* Is the object at `offset` of the copy a Symbol that may have a slot? */
static bool
read_symbol(uint32_t offset, uint32_t copy_size, symbol_entry *entry)
{
    const uint8_t *at = symbols.arena + offset, *end = symbols.arena + copy_size;
    uint64_t encoding, length;
    if (offset >= copy_size || (*at & WS_BINARY_TYPE_AND_SPECIAL) != T_SYMBOL) return false;
    at++;
    if (!ws_binary_read_value(&at, end, &encoding) || encoding >= ENCODING_COUNT) return false;
    if (!ws_binary_read_value(&at, end, &length) || length > NAME_MAXIMUM || length > (size_t)(end - at)) return false;
    entry->name = at;
    entry->size = (uint32_t)length;
    entry->encoding = (uint8_t)encoding;
    entry->hash = (uint32_t)ws_hash64(at, (size_t)length, encoding);
    return true;
}

/* The table and the names are larger than the processor's caches. So some entries are handled at a time, and the cache
 * lines that they need are fetched together. */
enum { BATCH = 16 };

static void
link_batch(uint32_t *offsets, const symbol_entry *entries, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        PREFETCH(symbols.names + symbols.table[entries[i].hash & (TABLE_SIZE - 1)].name);
    for (unsigned i = 0; i < count; i++) {
        uint32_t slot = slot_of(&entries[i]);
        if (slot != UINT32_MAX) offsets[entries[i].object] = PAYLOAD_MAXIMUM + slot * SLOT_SIZE;
    }
}

static void
link_objects(uint32_t *offsets, uint32_t count, uint32_t copy_size)
{
    symbol_entry entries[BATCH];
    unsigned waiting = 0;
    for (uint32_t i = 1; i < count; i++) { /* number 0 is nil */
        if (!read_symbol(offsets[i], copy_size, &entries[waiting])) continue;
        entries[waiting].object = i;
        PREFETCH(&symbols.table[entries[waiting].hash & (TABLE_SIZE - 1)]);
        if (++waiting < BATCH) continue;
        link_batch(offsets, entries, waiting);
        waiting = 0;
    }
    link_batch(offsets, entries, waiting);
}

const uint8_t *
ws_iseq_symbols_link(const uint8_t *payload, size_t *size)
{
    ws_binary_header header;
    if (symbols.busy || *size > PAYLOAD_MAXIMUM || !ws_main_ractor() || !get_memory()) return NULL;
    if (!ws_binary_header_read(payload, *size, &header)) return NULL;

    memcpy(symbols.arena, payload, header.size);
    link_objects((uint32_t *)(symbols.arena + header.object_list), header.object_count, header.size);
    header.size = ARENA_SIZE;
    memcpy(symbols.arena, &header, sizeof header);
    symbols.busy = true;
    symbols.linked_count++;
    *size = ARENA_SIZE;
    return symbols.arena;
}

void
ws_iseq_symbols_done(void)
{
    symbols.busy = false;
    if (symbols.useless) free_memory();
}

void
ws_iseq_symbols_end(void)
{
    symbols.useless = true;
    if (!symbols.busy) free_memory();
}

/* call-seq: Native.iseq_symbols -> [files, symbols]
 * How many files were loaded with shared symbols, and how many symbols these were. */
static VALUE
get_counts(VALUE self)
{
    return rb_ary_new_from_args(2, ULL2NUM(symbols.linked_count), UINT2NUM(symbols.count));
}

void
ws_init_iseq_symbols(VALUE native)
{
    rb_define_singleton_method(native, "iseq_symbols", get_counts, 0);
}

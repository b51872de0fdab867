/* What we know of the binary form of compiled code (RubyVM::InstructionSequence#to_binary; compile.c:
 * rb_iseq_ibf_dump). It begins with a header; the offsets of its objects are a table, the last part before extra data.
 * ext/probes.rb tries this knowledge out on the Ruby for which the extension is built. */
#ifndef WARMSTART_CORE_CODE_BINARY_H
#define WARMSTART_CORE_CODE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct ibf_header up to what we read. Its words are the same in all versions that we know. */
typedef struct ws_binary_header {
    char magic[4];
    uint32_t major, minor, size, extra_size, iseq_count, object_count, iseq_list, object_list;
} ws_binary_header;

/* struct ibf_object_header is one byte: five bits of type, and the flags special_const, frozen and internal. */
enum { WS_BINARY_TYPE_AND_SPECIAL = 0x3f, WS_BINARY_SPECIAL = 0x20 };
/* Types, as enum ruby_value_type has them (the core knows no header of Ruby's; iseq_symbols.c compares). */
enum { WS_BINARY_STRING = 0x05, WS_BINARY_REGEXP = 0x06 };

/* Copies the header of a binary. Returns false if this is no binary of this Ruby's format, or is damaged. */
bool ws_binary_header_read(const uint8_t *binary, size_t size, ws_binary_header *header);

/* Does what ibf_load_small_value does: the number of trailing zeroes in the first byte tells how many bytes follow, the
 * highest first. *at moves behind the value. Returns false if it does not end before `end`. */
bool ws_binary_read_value(const uint8_t **at, const uint8_t *end, uint64_t *value);

/* The bytes that the longest value takes. */
enum { WS_BINARY_VALUE_MAXIMUM = 9 };

/* Does what ibf_dump_write_small_value does. Returns the number of bytes written. */
size_t ws_binary_write_value(uint8_t *at, uint64_t value);

#endif

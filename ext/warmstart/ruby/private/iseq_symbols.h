/* Symbols in compiled code, looked up once a process and not once a file. */
#ifndef WARMSTART_RUBY_ISEQ_SYMBOLS_H
#define WARMSTART_RUBY_ISEQ_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

/* Returns a binary for RubyVM::InstructionSequence.load_from_binary that means what the payload means, and its size, or
 * NULL if the payload is to be taken as it is. The binary lies in memory that the next call uses again, so
 * ws_iseq_symbols_done must be called when it has been loaded. */
const uint8_t *ws_iseq_symbols_link(const uint8_t *payload, size_t *size);
void ws_iseq_symbols_done(void);
/* Called when the boot is over: gives the memory back (five megabytes). What is loaded later is taken as it is. */
void ws_iseq_symbols_end(void);

void ws_init_iseq_symbols(VALUE native);

#endif

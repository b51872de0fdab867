/* Does somebody watch events? See traced.c. Who calls: way.c, document_call.c, governor.c. */
#ifndef WARMSTART_RUBY_TRACED_H
#define WARMSTART_RUBY_TRACED_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/debug.h>

/* Is a TracePoint enabled that may want one of these events? If this cannot be told, the answer is yes. */
bool ws_is_traced(rb_event_flag_t events);

/* A TracePoint that is enabled for one piece of code (`target:`) is none of those. Adds to the Array what is needed to
 * find it: the code, a RubyVM::InstructionSequence, and that of its blocks. */
void ws_add_watchable(VALUE list, VALUE sequence);
/* Its blocks alone. Code has hooks only for events that it has (iseq.c: iseq_add_local_tracepoint). */
void ws_add_watchable_blocks(VALUE list, VALUE sequence);
/* May somebody watch one of these pieces of code alone? */
bool ws_is_one_watched(VALUE list);

void ws_init_traced(VALUE native);

#endif

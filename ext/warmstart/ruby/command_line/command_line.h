/* What only the command line uses: inspector.c, builder.c, process_posix.c or process_windows.c. */
#ifndef WARMSTART_RUBY_COMMAND_LINE_H
#define WARMSTART_RUBY_COMMAND_LINE_H

#include <ruby.h>

void ws_init_inspector(VALUE native);
void ws_init_builder(VALUE native);
void ws_init_process(VALUE native);

#endif

/* The exit handler, which leaves a part of the stack as plain Ruby leaves it. */
#ifndef WARMSTART_RUBY_END_OF_PROGRAM_H
#define WARMSTART_RUBY_END_OF_PROGRAM_H

#include <ruby.h>

void ws_init_end_of_program(VALUE native);

#endif

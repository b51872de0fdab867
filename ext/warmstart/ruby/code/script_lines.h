#ifndef WARMSTART_RUBY_SCRIPT_LINES_H
#define WARMSTART_RUBY_SCRIPT_LINES_H

#include <stdbool.h>

#include <ruby.h>

#include "core/image/image.h"

/* Does Ruby at present keep the lines of the files that it compiles? */
bool ws_script_lines_wanted(void);
/* Is InstructionSequence#script_lines our method? If not, code from the image would show that it has no lines. */
bool ws_script_lines_replaced(void);
/* To be called when a file from the image is about to be evaluated while lines are wanted. */
void ws_script_lines_note(ws_found found);

void ws_init_script_lines(VALUE native);

#endif

/* Text for one line on a terminal. Who calls: whatever prints a line of ours. */
#ifndef WARMSTART_CORE_LINE_H
#define WARMSTART_CORE_LINE_H

#include <stddef.h>

/* How much longer a text may become. */
#define WS_LINE_GROWTH 4

/* Copies the text so that it stays one line, says nothing to a terminal and stands in the order of its bytes, whatever
 * a path or a variable holds: a newline becomes \n, other control characters, what turns the direction of writing
 * round, and bytes that are not UTF-8 become \x and two digits each. Cut where `room` ends; ends with NUL. The size
 * without that. */
size_t ws_line_escape(char *to, size_t room, const char *text, size_t size);

#endif

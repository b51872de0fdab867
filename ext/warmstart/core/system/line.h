/* Text for one line on a terminal. Everything that prints a line of ours uses it. */
#ifndef WARMSTART_CORE_LINE_H
#define WARMSTART_CORE_LINE_H

#include <stddef.h>

/* A text becomes at most so many times longer. */
#define WS_LINE_GROWTH 4

/* Copies the text so that it stays one line, cannot control the terminal, and appears in the order of its bytes,
 * whatever a path or a variable contains. A newline becomes \n. Other control characters, characters that change the
 * direction of the text, and bytes that are not UTF-8 become \x and two digits per byte. The result is cut where `room`
 * ends, and ends with NUL. Returns its size without the NUL. */
size_t ws_line_escape(char *to, size_t room, const char *text, size_t size);

#endif

/* Writes pieces of memory one after the other, each followed by zeroes up to the next multiple of 16, without copying
 * them. Who calls: segment_writer.c. */
#ifndef WARMSTART_CORE_SEGMENT_OUTPUT_H
#define WARMSTART_CORE_SEGMENT_OUTPUT_H

#include <stddef.h>

#include "core/system/file.h"

typedef struct ws_output {
    int descriptor;
    int error_number; /* errno of the first write that failed; nothing is written after it */
    int count;
    ws_piece pieces[WS_PIECES_MAXIMUM];
} ws_output;

void ws_output_begin(ws_output *out, int descriptor);
void ws_output_add(ws_output *out, const void *bytes, size_t size);
/* Writes the remaining pieces. Returns 0, or the errno of the first failure. */
int ws_output_end(ws_output *out);

#endif

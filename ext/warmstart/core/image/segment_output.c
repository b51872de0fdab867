/* Collects pieces of memory and writes many at once, without copying them. Who calls: segment_writer.c. */
#include "core/image/segment_output.h"

#include <errno.h>
#include <stdint.h>

#include "core/image/image_format.h"
#include "core/image/segment_writer.h"

/* macOS refuses more than INT_MAX bytes in one call. */
#define PIECE_SIZE_MAXIMUM ((size_t)1 << 24)

void
ws_output_begin(ws_output *out, int descriptor)
{
    out->descriptor = descriptor;
    out->error_number = 0;
    out->count = 0;
}

static void
flush(ws_output *out)
{
    if (out->count > 0 && out->error_number == 0)
        out->error_number = ws_file_write_pieces(out->descriptor, out->pieces, out->count);
    out->count = 0;
}

static void
add_piece(ws_output *out, const void *bytes, size_t size)
{
    if (out->count == WS_PIECES_MAXIMUM) flush(out);
    out->pieces[out->count++] = (ws_piece){ bytes, size };
}

void
ws_output_add(ws_output *out, const void *bytes, size_t size)
{
    static const char zeroes[WS_ALIGNMENT] = { 0 };
    const char *at = bytes;
    size_t padding = (size_t)(WS_ALIGN(size) - size);

    for (; size > PIECE_SIZE_MAXIMUM; at += PIECE_SIZE_MAXIMUM, size -= PIECE_SIZE_MAXIMUM)
        add_piece(out, at, PIECE_SIZE_MAXIMUM);
    if (size > 0) add_piece(out, at, size);
    if (padding > 0) add_piece(out, zeroes, padding);
}

int
ws_output_end(ws_output *out)
{
    flush(out);
    return out->error_number;
}

ws_code
ws_write_failure(int error_number)
{
#ifdef EDQUOT
    if (error_number == EDQUOT) return WS_FULL;
#endif
    return error_number == ENOSPC || error_number == EFBIG ? WS_FULL : WS_SYSTEM;
}

/* Gathering writes, and the system's random numbers: what segment_writer.c and store.c need of the system.
 *
 * writev and not a buffer of our own: in a compaction payloads lie in mapped files, and where one of them is truncated
 * meanwhile, writev says EFAULT; copying would be SIGBUS. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "segment_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "image_format.h"
#include "segment_writer.h"

/* macOS refuses more than INT_MAX bytes in one call. */
#define PIECE_SIZE_MAXIMUM ((size_t)1 << 24)

void ws_output_begin(ws_output *out, int descriptor)
{
    out->descriptor = descriptor;
    out->error_number = 0;
    out->count = 0;
}

/* Drops `written` bytes from the front of pieces[first..]; the number of the first piece that is left. */
static int advance(ws_output *out, int first, size_t written)
{
    while (first < out->count && written >= out->pieces[first].iov_len) written -= out->pieces[first++].iov_len;
    if (first < out->count) {
        out->pieces[first].iov_base = (char *)out->pieces[first].iov_base + written;
        out->pieces[first].iov_len -= written;
    }
    return first;
}

static void flush(ws_output *out)
{
    int first = 0;

    while (first < out->count && out->error_number == 0) {
        ssize_t written = writev(out->descriptor, out->pieces + first, out->count - first);
        if (written > 0) first = advance(out, first, (size_t)written);
        else if (written == 0) out->error_number = EIO;
        else if (errno != EINTR) out->error_number = errno;
    }
    out->count = 0;
}

static void add_piece(ws_output *out, const void *bytes, size_t size)
{
    if (out->count == WS_OUTPUT_PIECES) flush(out);
    out->pieces[out->count].iov_base = (void *)bytes;
    out->pieces[out->count].iov_len = size;
    out->count++;
}

void ws_output_add(ws_output *out, const void *bytes, size_t size)
{
    static const char zeroes[WS_ALIGNMENT] = { 0 };
    const char *at = bytes;
    size_t padding = (size_t)(WS_ALIGN(size) - size);

    for (; size > PIECE_SIZE_MAXIMUM; at += PIECE_SIZE_MAXIMUM, size -= PIECE_SIZE_MAXIMUM)
        add_piece(out, at, PIECE_SIZE_MAXIMUM);
    if (size > 0) add_piece(out, at, size);
    if (padding > 0) add_piece(out, zeroes, padding);
}

int ws_output_end(ws_output *out)
{
    flush(out);
    return out->error_number;
}

ws_code ws_write_failure(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG ? WS_FULL : WS_SYSTEM;
}

/* The device and not getrandom or getentropy: it is the same on every system, and ids need no more than to differ. */
uint64_t ws_random_id(void)
{
    uint64_t id = 0;
    int descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (descriptor < 0) return 0;
    for (int tries = 0; tries < 8 && id == 0; tries++)
        if (read(descriptor, &id, sizeof id) != (ssize_t)sizeof id) id = 0;
    close(descriptor);
    return id;
}

/* SipHash-2-4 with a result of 128 bits (Aumasson and Bernstein, https://131002.net/siphash). It is a short checksum
 * that only somebody who has the key can compute. hash.h detects accidents; this detects bytes that somebody else has
 * written. Who calls: origin.c, record.c. */
#ifndef WARMSTART_CORE_SIPHASH_H
#define WARMSTART_CORE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "core/bytes/hash.h"

#define WS_SIPHASH_KEY_SIZE 16

/* .low has the first eight bytes of the published test vectors, read as little-endian; .high has the last eight. */
ws_hash128 ws_siphash128(const uint8_t key[WS_SIPHASH_KEY_SIZE], const void *bytes, size_t size);

#endif

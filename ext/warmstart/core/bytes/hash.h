/* Hashes: of bytes in memory and of files. Not cryptographic: they tell accident from intent nowhere
 * (docs/security.md); the trust rules on ownership do. */
#ifndef WARMSTART_CORE_HASH_H
#define WARMSTART_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64 bits of bytes[0, size); the same on every platform. At least 5 GB/s for large inputs on a desktop machine:
 * multiply-and-fold over several independent lanes. */
uint64_t ws_hash64(const void *bytes, size_t size, uint64_t seed);

typedef struct ws_hash128 {
    uint64_t low, high;
} ws_hash128;

/* The content hash of a source file or the checksum of a payload's content where 64 bits would be few. */
ws_hash128 ws_hash128_bytes(const void *bytes, size_t size);

#endif

/* Hashes of bytes in memory and of files. They are not cryptographic: they detect accidents, not attackers. Against
 * attackers there are the rules about the owners of files (docs/security.md). */
#ifndef WARMSTART_CORE_HASH_H
#define WARMSTART_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hashes bytes[0, size) to 64 bits, the same on every platform. Reaches at least 5 GB/s for large inputs on a desktop
 * machine. */
uint64_t ws_hash64(const void *bytes, size_t size, uint64_t seed);

typedef struct ws_hash128 {
    uint64_t low, high;
} ws_hash128;

/* For the content of a source file, and wherever 64 bits are too few. */
ws_hash128 ws_hash128_bytes(const void *bytes, size_t size);

#endif

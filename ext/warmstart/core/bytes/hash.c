/* Hashes of bytes in memory. One step multiplies two 64-bit words to 128 bits and folds the two halves together.
 *
 * Who calls: checksums of images (ws_mapping_hash), content hashes of sources (ws_file_hash), hash tables of paths.
 * Long inputs run over four independent lanes of 16 bytes each, because one multiplication takes four cycles but a new
 * one can start every cycle; short inputs go through one lane only. The result is the same on every machine that we
 * support (all are little-endian): where the compiler has no 128-bit integer the product is put together from four
 * partial products. A change of any result makes every existing image invalid, so whoever makes one must raise
 * WS_FORMAT_VERSION. */
#include "core/bytes/hash.h"

#include <string.h>

/* Random odd words. Each has half of its bits set, and any two of them differ in about half of their bits. */
static const uint64_t ws_hash_keys[6] = { UINT64_C(0xB84FC7434C27DA07), UINT64_C(0x98A4992F374F2A8B),
                                          UINT64_C(0xA4A697D80BE4F8D1), UINT64_C(0x851ACEE8B02D2F3B),
                                          UINT64_C(0xB849B8B4E38AD91B), UINT64_C(0x1C52E09DA7E46667) };

#if defined(__SIZEOF_INT128__) && !defined(WS_HASH_PORTABLE_MULTIPLY)
static inline void
ws_hash_multiply(uint64_t a, uint64_t b, uint64_t *low, uint64_t *high)
{
    __extension__ typedef unsigned __int128 ws_uint128;
    ws_uint128 product = (ws_uint128)a * b;

    *low = (uint64_t)product;
    *high = (uint64_t)(product >> 64);
}
#else
static inline void
ws_hash_multiply(uint64_t a, uint64_t b, uint64_t *low, uint64_t *high)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low_low = a_low * b_low, low_high = a_low * b_high, high_low = a_high * b_low;
    uint64_t middle = (low_low >> 32) + (uint32_t)low_high + (uint32_t)high_low;

    *low = (middle << 32) | (uint32_t)low_low;
    *high = a_high * b_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32);
}
#endif

/* The step of which every hash here consists. The product alone would lose `a` where b is 0 or -1, and a file may
 * consist of such words. Adding both factors keeps what a lane has seen so far. */
static inline uint64_t
ws_hash_fold(uint64_t a, uint64_t b)
{
    uint64_t low, high;

    ws_hash_multiply(a, b, &low, &high);
    return (low ^ high) + a + b;
}

static inline uint64_t
ws_hash_read64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t
ws_hash_read32(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Mixes 16 bytes into one lane. */
static inline uint64_t
ws_hash_absorb(uint64_t lane, const uint8_t *bytes, uint64_t key)
{
    return ws_hash_fold(lane ^ ws_hash_read64(bytes), key ^ ws_hash_read64(bytes + 8));
}

/* Reads 0 to 16 bytes as two words, which overlap when there are too few bytes for both. Inputs that therefore read the
 * same are told apart by their size, which ws_hash64 mixes in at the end. */
static inline void
ws_hash_read_short(const uint8_t *bytes, size_t size, uint64_t *first, uint64_t *second)
{
    if (size >= 8) {
        *first = ws_hash_read64(bytes);
        *second = ws_hash_read64(bytes + size - 8);
    }
    else if (size >= 4) {
        *first = ws_hash_read32(bytes);
        *second = ws_hash_read32(bytes + size - 4);
    }
    else {
        *first = size == 0 ? 0 : (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 8 | bytes[size - 1];
        *second = 0;
    }
}

/* Reads whole blocks of 64 bytes and leaves the last 1 to 64 bytes to the caller. Advances *bytes and *size. */
static uint64_t
ws_hash_long(const uint8_t **bytes, size_t *size, uint64_t state)
{
    const uint8_t *block = *bytes;
    size_t left = *size;
    uint64_t lane0 = state, lane1 = state ^ ws_hash_keys[1], lane2 = state ^ ws_hash_keys[2],
             lane3 = state ^ ws_hash_keys[3];

    do {
        lane0 = ws_hash_absorb(lane0, block, ws_hash_keys[2]);
        lane1 = ws_hash_absorb(lane1, block + 16, ws_hash_keys[3]);
        lane2 = ws_hash_absorb(lane2, block + 32, ws_hash_keys[4]);
        lane3 = ws_hash_absorb(lane3, block + 48, ws_hash_keys[5]);
        block += 64;
        left -= 64;
    } while (left > 64);

    *bytes = block;
    *size = left;
    return ws_hash_fold(ws_hash_fold(lane0 ^ ws_hash_keys[0], lane1), ws_hash_fold(lane2 ^ ws_hash_keys[1], lane3));
}

uint64_t
ws_hash64(const void *bytes, size_t size, uint64_t seed)
{
    const uint8_t *position = bytes;
    size_t left = size;
    uint64_t state = ws_hash_fold(seed ^ ws_hash_keys[0], ws_hash_keys[1]), first, second, low, high;

    if (left <= 16) { ws_hash_read_short(position, left, &first, &second); }
    else {
        if (left > 64) state = ws_hash_long(&position, &left, state);
        for (; left > 16; position += 16, left -= 16) state = ws_hash_absorb(state, position, ws_hash_keys[2]);
        /* The last 16 bytes of the input. Some of them may have been read already. */
        first = ws_hash_read64(position + left - 16);
        second = ws_hash_read64(position + left - 8);
    }
    /* Two rounds, so that each bit of the input reaches each bit of the result. */
    ws_hash_multiply(first ^ state, second ^ ws_hash_keys[3], &low, &high);
    return ws_hash_fold((low + first) ^ ws_hash_keys[4] ^ (uint64_t)size, (high + second) ^ state ^ ws_hash_keys[5]);
}

/* Two passes with different seeds share no intermediate result, so inputs that collide in a lane of the first pass do
 * not collide in the second. */
ws_hash128
ws_hash128_bytes(const void *bytes, size_t size)
{
    ws_hash128 hash;

    hash.low = ws_hash64(bytes, size, ws_hash_keys[4]);
    hash.high = ws_hash64(bytes, size, ws_hash_keys[5]);
    return hash;
}

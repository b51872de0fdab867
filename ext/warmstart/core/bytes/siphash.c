/* SipHash-2-4-128, written like its reference implementation. The state's words have the names that the paper gives
 * them. */
#include "core/bytes/siphash.h"

typedef struct sip_state {
    uint64_t v0, v1, v2, v3;
} sip_state;

static uint64_t
rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static uint64_t
read_word(const uint8_t *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void
rounds(sip_state *s, int count)
{
    for (int i = 0; i < count; i++) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
}

static void
absorb(sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

ws_hash128
ws_siphash128(const uint8_t key[WS_SIPHASH_KEY_SIZE], const void *bytes, size_t size)
{
    const uint64_t k0 = read_word(key, 8), k1 = read_word(key + 8, 8);
    const uint8_t *at = bytes;
    ws_hash128 hash;
    /* The constants spell "somepseudorandomlygeneratedbytes"; 0xee selects the result of 128 bits. */
    sip_state s = { k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                    k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573) };

    for (size_t left = size; left >= 8; left -= 8, at += 8) absorb(&s, read_word(at, 8));
    absorb(&s, read_word(at, size % 8) | (uint64_t)size << 56);
    s.v2 ^= 0xee;
    rounds(&s, 4);
    hash.low = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    s.v1 ^= 0xdd;
    rounds(&s, 4);
    hash.high = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    return hash;
}

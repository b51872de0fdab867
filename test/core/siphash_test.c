/* SipHash against its authors' test vectors (vectors_sip128 of the reference implementation): the key is 00 01 .. 0f,
 * and input number n is the bytes 00 01 .. n-1. */
#include "test.h"

#include "core/bytes/siphash.h"

static const struct vector {
    size_t size;
    const char *result;
} vectors[] = {
    { 0, "a3817f04ba25a8e66df67214c7550293" },  { 1, "da87c1d86b99af44347659119b22fc45" },
    { 2, "8177228da4a45dc7fca38bdef60affe4" },  { 3, "9c70b60c5267a94e5f33b6b02985ed51" },
    { 4, "f88164c12d9c8faf7d0f6e7c7bcd5579" },  { 5, "1368875980776f8854527a07690e9627" },
    { 6, "14eeca338b208613485ea0308fd7a15e" },  { 7, "a1f1ebbed8dbc153c0b84aa61ff08239" },
    { 8, "3b62a9ba6258f5610f83e264f31497b4" },  { 9, "264499060ad9baabc47f8b02bb6d71ed" },
    { 10, "00110dc378146956c95447d3f3d0fbba" }, { 11, "0151c568386b6677a2b4dc6f81e5dc18" },
    { 12, "d626b266905ef35882634df68532c125" }, { 13, "9869e247e9c08b10d029934fc4b952f7" },
    { 14, "31fcefac66d7de9c7ec7485fe4494902" }, { 15, "5493e99933b0a8117e08ec0f97cfc3d9" },
    { 63, "5150d1772f50834a503e069a973fbd7c" },
};

static void
describe(ws_hash128 hash, char *text)
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x",
                 (unsigned)((i < 8 ? hash.low >> (8 * i) : hash.high >> (8 * (i - 8))) & 0xff));
}

TEST("the published vectors")
{
    uint8_t key[WS_SIPHASH_KEY_SIZE], input[64];
    char text[33];

    for (int i = 0; i < 16; i++) key[i] = (uint8_t)i;
    for (int i = 0; i < 64; i++) input[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        describe(ws_siphash128(key, input, vectors[i].size), text);
        CHECK(strcmp(text, vectors[i].result) == 0);
    }
}

TEST("each bit of the key and of the input counts")
{
    uint8_t key[WS_SIPHASH_KEY_SIZE] = { 1, 2, 3 }, input[40] = { 4, 5, 6 };
    const ws_hash128 whole = ws_siphash128(key, input, sizeof input);

    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ws_hash128 other = ws_siphash128(key, input, sizeof input);
        CHECK(other.low != whole.low && other.high != whole.high);
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * sizeof input; bit++) {
        input[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ws_hash128 other = ws_siphash128(key, input, sizeof input);
        CHECK(other.low != whole.low && other.high != whole.high);
        input[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

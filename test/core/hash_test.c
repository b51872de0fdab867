/* Hashes: see core/bytes/hash.h. The portable multiplication is built here a second time and must give the same values.
 */
#include "test.h"

#include "core/bytes/hash.h"

uint64_t portable_hash64(const void *bytes, size_t size, uint64_t seed);
ws_hash128 portable_hash128_bytes(const void *bytes, size_t size);

#define WS_HASH_PORTABLE_MULTIPLY
#define ws_hash64 portable_hash64
#define ws_hash128_bytes portable_hash128_bytes
#include "../../ext/warmstart/core/bytes/hash.c"
#undef ws_hash64
#undef ws_hash128_bytes

static unsigned
bit_count(uint64_t word)
{
    unsigned count = 0;

    for (; word; word &= word - 1) count++;
    return count;
}

static int
compare_words(const void *a, const void *b)
{
    uint64_t left, right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

/* How many of the hashes are equal to another one, looking only at the low 64, then at the high and the low 32 bits. */
static size_t
count_collisions(uint64_t *hashes, size_t count, uint64_t mask)
{
    size_t collisions = 0;

    for (size_t index = 0; index < count; index++) hashes[index] &= mask;
    qsort(hashes, count, sizeof(hashes[0]), compare_words);
    for (size_t index = 1; index < count; index++) collisions += hashes[index] == hashes[index - 1];
    return collisions;
}

/* n hashes have about n * n / 2^33 collisions in 32 bits by chance. */
static void
check_collisions(const uint64_t *hashes, size_t count)
{
    uint64_t *copy = malloc(count * sizeof(copy[0]));
    double expected = (double)count * (double)count / 8589934592.0;
    static const uint64_t masks[] = { UINT64_MAX, UINT32_MAX, (uint64_t)UINT32_MAX << 32 };

    for (unsigned index = 0; index < 3; index++) {
        memcpy(copy, hashes, count * sizeof(copy[0]));
        size_t found = count_collisions(copy, count, masks[index]);
        if (index == 0 ? found > 0 : (double)found > 3 * expected + 5) {
            free(copy);
            test_fail(__FILE__, __LINE__, "%zu collisions among %zu hashes, mask %u", found, count, index);
        }
    }
    free(copy);
    test_assertion_count++;
}

TEST("hashes are pinned: images depend on them, on every platform")
{
    uint8_t bytes[300];

    for (size_t index = 0; index < sizeof(bytes); index++) bytes[index] = (uint8_t)(index * 7 + 3);
    CHECK_EQUAL(ws_hash64("", 0, 0), UINT64_C(0xA7CDFD4828AB4D8B));
    CHECK_EQUAL(ws_hash64("a", 1, 0), UINT64_C(0xBD84AC8BB066EAF1));
    CHECK_EQUAL(ws_hash64("json.rb", 7, 1), UINT64_C(0xA41992A1833C6053));
    CHECK_EQUAL(ws_hash64(bytes, 16, 2), UINT64_C(0xE430C331F92865AB));
    CHECK_EQUAL(ws_hash64(bytes, 64, 3), UINT64_C(0x045F1B0E10B69F6C));
    CHECK_EQUAL(ws_hash64(bytes, 300, UINT64_MAX), UINT64_C(0xACAF20C64152EC10));
    CHECK_EQUAL(ws_hash128_bytes(bytes, 300).low, UINT64_C(0x30E6F951A3D97E02));
    CHECK_EQUAL(ws_hash128_bytes(bytes, 300).high, UINT64_C(0x3B01ABF83DCD695D));
}

TEST("the portable multiplication gives the same hashes")
{
    uint8_t bytes[700];
    uint64_t state = 1;

    for (size_t index = 0; index < sizeof(bytes); index++) bytes[index] = (uint8_t)test_random(&state);
    for (size_t size = 0; size <= sizeof(bytes); size++) {
        CHECK(ws_hash64(bytes, size, size) == portable_hash64(bytes, size, size));
    }
    memset(bytes, 0xFF, sizeof(bytes));
    CHECK(ws_hash64(bytes, sizeof(bytes), UINT64_MAX) == portable_hash64(bytes, sizeof(bytes), UINT64_MAX));
    CHECK(ws_hash128_bytes(bytes, 77).high == portable_hash128_bytes(bytes, 77).high);
}

TEST("a hash reads its bytes and nothing beside them, at any alignment")
{
    uint8_t bytes[200];

    for (size_t index = 0; index < sizeof(bytes); index++) bytes[index] = (uint8_t)(index * 31);
    for (size_t size = 0; size < 150; size++) {
        uint8_t *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, bytes + 3, size);
        CHECK(ws_hash64(exact, size, 9) == ws_hash64(bytes + 3, size, 9));
        free(exact);
    }
    CHECK(ws_hash64(NULL, 0, 9) == ws_hash64("", 0, 9));
}

TEST("zeros of different sizes have different hashes")
{
    static const uint8_t zeros[4096];
    static uint64_t hashes[4097];

    for (size_t size = 0; size <= 4096; size++) hashes[size] = ws_hash64(zeros, size, 0);
    check_collisions(hashes, 4097);
}

TEST("the seed changes the hash")
{
    uint64_t hashes[1000];

    for (uint64_t seed = 0; seed < 1000; seed++) hashes[seed] = ws_hash64("same", 4, seed);
    check_collisions(hashes, 1000);
}

/* Turns each bit of inputs of this size and counts how often each bit of the hash turns with it. */
static void
check_avalanche(size_t size)
{
    enum { ROUNDS = 400 };
    uint8_t bytes[200];
    uint64_t state = size + 1;
    unsigned turned[64];

    for (size_t bit = 0; bit < 8 * size; bit++) {
        memset(turned, 0, sizeof(turned));
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t index = 0; index < size; index++) bytes[index] = (uint8_t)(test_random(&state) >> 20);
            uint64_t seed = test_random(&state), difference = ws_hash64(bytes, size, seed);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            difference ^= ws_hash64(bytes, size, seed);
            for (int out = 0; out < 64; out++) turned[out] += difference >> out & 1;
        }
        /* Half of 400 with a deviation of 10: six of them are 60. */
        for (int out = 0; out < 64; out++) CHECK(turned[out] > ROUNDS / 2 - 60 && turned[out] < ROUNDS / 2 + 60);
    }
}

TEST("each bit of the input turns each bit of the hash half of the time")
{
    static const size_t sizes[] = { 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 90, 130 };

    for (size_t index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) check_avalanche(sizes[index]);
}

TEST("paths that differ a little have no collisions beyond chance")
{
    enum { COUNT = 200000 };
    uint64_t *hashes = malloc(COUNT * sizeof(hashes[0]));

    for (int index = 0; index < COUNT; index++) {
        char path[100];
        int size = snprintf(path, sizeof(path), "/usr/lib/ruby/gems/3.3.0/gems/gem-%d/lib/%d/file.rb", index % 300,
                            index / 300);
        hashes[index] = ws_hash64(path, (size_t)size, 0);
    }
    check_collisions(hashes, COUNT);
    free(hashes);
}

TEST("inputs with few bits set have no collisions beyond chance")
{
    static const size_t sizes[] = { 8, 16, 24, 48, 64, 80 };

    for (size_t which = 0; which < sizeof(sizes) / sizeof(sizes[0]); which++) {
        size_t bits = sizes[which] * 8, count = 0;
        uint64_t *hashes = malloc((bits * bits / 2 + bits) * sizeof(hashes[0]));
        for (size_t first = 0; first < bits; first++) {
            for (size_t second = first; second < bits; second++) {
                uint8_t bytes[80] = { 0 };
                bytes[first / 8] ^= (uint8_t)(1 << first % 8);
                bytes[second / 8] |= (uint8_t)(1 << second % 8);
                hashes[count++] = ws_hash64(bytes, sizes[which], 0);
            }
        }
        check_collisions(hashes, count);
        free(hashes);
    }
}

TEST("no word of a long input can wipe out what came before")
{
    uint64_t words[64], hashes[64 * 5];
    size_t count = 0;

    /* The words that make a factor 0, 1 or -1 are the keys themselves and their neighbours. */
    for (size_t lane = 0; lane < 4; lane++) {
        for (unsigned first = 0; first < 16; first++) {
            static const uint64_t factors[] = { 0, 1, UINT64_MAX, 2, UINT64_MAX - 1 };
            for (size_t which = 0; which < 5; which++) {
                memset(words, 0, sizeof(words));
                words[2 * lane] = first;
                words[8 + 2 * lane + 1] = ws_hash_keys[2 + lane] ^ factors[which];
                hashes[count++] = ws_hash64(words, sizeof(words), 0);
            }
        }
    }
    check_collisions(hashes, count);
}

TEST("blocks that change places change the hash")
{
    enum { BLOCKS = 130 };
    static uint8_t bytes[BLOCKS * 64], swapped[BLOCKS * 64];
    uint64_t state = 5;

    for (size_t index = 0; index < sizeof(bytes); index++) bytes[index] = (uint8_t)(test_random(&state) >> 30);
    uint64_t hash = ws_hash64(bytes, sizeof(bytes), 0);
    for (size_t distance = 1; distance < BLOCKS; distance++) {
        memcpy(swapped, bytes, sizeof(bytes));
        memcpy(swapped, bytes + distance * 64, 64);
        memcpy(swapped + distance * 64, bytes, 64);
        CHECK(ws_hash64(swapped, sizeof(swapped), 0) != hash);
    }
    for (size_t lane = 1; lane < 4; lane++) {
        memcpy(swapped, bytes, sizeof(bytes));
        memcpy(swapped, bytes + lane * 16, 16);
        memcpy(swapped + lane * 16, bytes, 16);
        CHECK(ws_hash64(swapped, sizeof(swapped), 0) != hash);
    }
}

TEST("both halves of the long hash are mixed, and unlike each other")
{
    enum { COUNT = 20000 };
    static uint64_t lows[COUNT], highs[COUNT], differences[COUNT];
    unsigned bits = 0;

    for (uint32_t index = 0; index < COUNT; index++) {
        ws_hash128 hash = ws_hash128_bytes(&index, sizeof(index));
        lows[index] = hash.low;
        highs[index] = hash.high;
        differences[index] = hash.low ^ hash.high;
        bits += bit_count(differences[index]);
    }
    check_collisions(lows, COUNT);
    check_collisions(highs, COUNT);
    check_collisions(differences, COUNT);
    CHECK(bits > COUNT * 31 && bits < COUNT * 33);
}

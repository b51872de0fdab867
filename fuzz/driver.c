/* Does what libFuzzer would do, without it and less well; linked to one target (fuzz.h).
 *
 *     <target>_check FILE...                 runs these inputs
 *     <target>_check --random COUNT [SEED]   runs the seeds with random damage, the same in each run
 *     <target>_check --seeds FOLDER          writes the seeds, a corpus to begin with */
#include <inttypes.h>

#include "fuzz.h"

enum { SEEDS_MAXIMUM = 64, SIZE_MAXIMUM = 1 << 20 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;
typedef struct inputs {
    input list[SEEDS_MAXIMUM];
    size_t count;
} inputs;

static void
take(void *context, const void *bytes, size_t size)
{
    inputs *all = context;

    if (all->count == SEEDS_MAXIMUM) abort();
    all->list[all->count++] = (input){ fuzz_copy(bytes, size), size };
}

static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static size_t
below(uint64_t *state, size_t maximum)
{
    return maximum > 0 ? (size_t)((next_random(state) >> 8) % maximum) : 0;
}

/* A number that bounds checks often get wrong, or a small one, or any. */
static uint64_t
odd_number(uint64_t *state)
{
    static const uint64_t odd[] = {
        0, 1, 15, 16, 127, 128, INT32_MAX, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_MAX - 15, UINT64_MAX
    };

    switch (below(state, 3)) {
        case 0: return odd[below(state, sizeof odd / sizeof odd[0])];
        case 1: return below(state, 2048);
        default: return next_random(state);
    }
}

static void
damage_number(input *it, uint64_t *state)
{
    static const size_t widths[] = { 1, 2, 4, 4, 8, 8 };
    size_t width = widths[below(state, 6)], header = fuzz_target.header_size;
    size_t first = it->size > header && below(state, 4) ? header : 0;
    uint64_t number = odd_number(state);

    if (it->size < first + width) return;
    memcpy(it->bytes + first + below(state, (it->size - first) / width) * width, &number, width);
}

static void
insert(input *it, size_t at, const void *bytes, size_t size)
{
    uint8_t *copy = fuzz_copy(bytes, size);

    if (it->size + size > SIZE_MAXIMUM) size = 0;
    memmove(it->bytes + at + size, it->bytes + at, it->size - at);
    memcpy(it->bytes + at, copy, size);
    it->size += size;
    free(copy);
}

static void
damage_text(input *it, uint64_t *state)
{
    static const char *const words[] = { "/",        "..",   ".",  "\\",   "~", ":", "\n",  "%",   "%0A", " ", "!",
                                         "\xc2\x85", "\xff", "C:", "//?/", "0", "f", ".rb", ".so", "-",   "\t" };
    size_t at = below(state, it->size + 1), size = below(state, it->size - at + 1) % 32;
    const char *word = words[below(state, sizeof words / sizeof words[0])];

    switch (below(state, 6)) {
        case 0: insert(it, at, it->bytes + below(state, it->size + 1 - size), size); break;
        case 1:
            memmove(it->bytes + at, it->bytes + at + size, it->size - at - size);
            it->size -= size;
            break;
        case 2:
            if (at < it->size) it->bytes[at] = (uint8_t)next_random(state);
            break;
        case 3: insert(it, at, "", 1); break;
        default: insert(it, at, word, strlen(word)); break;
    }
}

static int
run_random(const inputs *seeds, uint64_t count, uint64_t seed)
{
    uint64_t state = seed | 1;
    input it = { malloc(SIZE_MAXIMUM), 0 };

    if (it.bytes == NULL || seeds->count == 0) return 1;
    for (uint64_t round = 0; round < count; round++) {
        const input *from = &seeds->list[below(&state, seeds->count)];
        memcpy(it.bytes, from->bytes, from->size);
        it.size = from->size;
        for (size_t changes = below(&state, 6); changes > 0; changes--)
            (fuzz_target.text ? damage_text : damage_number)(&it, &state);
        uint8_t *exact = fuzz_copy(it.bytes, it.size);
        LLVMFuzzerTestOneInput(exact, below(&state, 64) ? it.size : below(&state, it.size));
        free(exact);
    }
    free(it.bytes);
    printf("%" PRIu64 " inputs, seed %" PRIu64 ": nothing found\n", count, seed);
    return 0;
}

static int
run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(SIZE_MAXIMUM);

    if (file == NULL || bytes == NULL) {
        perror(path);
        return 1;
    }
    size_t size = fread(bytes, 1, SIZE_MAXIMUM, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 0;
}

static int
write_seeds(const inputs *seeds, const char *folder)
{
    char path[4096];

    for (size_t i = 0; i < seeds->count; i++) {
        snprintf(path, sizeof path, "%s/seed-%02zu", folder, i);
        FILE *file = fopen(path, "wb");
        bool written =
            file != NULL && fwrite(seeds->list[i].bytes, 1, seeds->list[i].size, file) == seeds->list[i].size;
        if (file == NULL || fclose(file) != 0 || !written) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int
main(int count, char **arguments)
{
    static inputs seeds;
    int failures = 0;

    fuzz_seeds(take, &seeds);
    if (count >= 3 && strcmp(arguments[1], "--random") == 0)
        failures =
            run_random(&seeds, strtoull(arguments[2], NULL, 10), count > 3 ? strtoull(arguments[3], NULL, 10) : 1);
    else if (count == 3 && strcmp(arguments[1], "--seeds") == 0) failures = write_seeds(&seeds, arguments[2]);
    else
        for (int i = 1; i < count; i++) failures += run_file(arguments[i]);
    for (size_t i = 0; i < seeds.count; i++) free(seeds.list[i].bytes);
    return failures > 0;
}

/* A fuzz target is a file <target>_fuzz.c that defines the three symbols below: LLVMFuzzerTestOneInput, fuzz_seeds and
 * fuzz_target. libFuzzer calls the first (`make fuzz TARGET=...`). Without libFuzzer, driver.c does what is possible
 * with any compiler (`make check`). */
#ifndef WARMSTART_FUZZ_H
#define WARMSTART_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Passes inputs to begin with to `take`. The code under test has made them itself. */
typedef void (*fuzz_take)(void *context, const void *bytes, size_t size);
void fuzz_seeds(fuzz_take take, void *context);

/* How inputs are damaged at random. In a text, words are inserted, removed and repeated. In other bytes, numbers are
 * overwritten; three times in four they lie behind the header. */
typedef struct fuzz_kind {
    bool text;
    size_t header_size;
} fuzz_kind;
extern const fuzz_kind fuzz_target;

#define FUZZ_CHECK(condition)                                                       \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

/* A copy of exactly this size, so that the sanitizer detects reads beyond it. */
static inline void *
fuzz_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) abort();
    if (size > 0) memcpy(copy, bytes, size);
    return copy;
}

#endif

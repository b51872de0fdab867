/* What a target is: a file <target>_fuzz.c that has the three below. libFuzzer calls the first (`make fuzz
 * TARGET=...`); driver.c does without it what any compiler can (`make check`). */
#ifndef WARMSTART_FUZZ_H
#define WARMSTART_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gives inputs to begin with, made by the code itself. */
typedef void (*fuzz_take)(void *context, const void *bytes, size_t size);
void fuzz_seeds(fuzz_take take, void *context);

/* For random damage: words are inserted, removed and repeated in a text; in other bytes numbers are overwritten, three
 * times in four behind the header. */
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

/* An exact-size copy, so that the sanitizer sees a read beyond it. */
static inline void *
fuzz_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) abort();
    if (size > 0) memcpy(copy, bytes, size);
    return copy;
}

#endif

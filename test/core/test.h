/* A tiny test harness for the core: include it once in a file of tests, which becomes a program of its own.
 *
 *     TEST("an empty path has no directory") { CHECK_SIZE(rules->directory_size("", 0), 0); }
 *
 * Each test is named by a sentence and gets an empty folder of its own (test_folder). A test without an assertion
 * fails; a failed assertion ends its test. `test/core/run` builds and runs all programs and adds up their last lines.
 */
#ifndef WARMSTART_TEST_H
#define WARMSTART_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST_UNUSED __attribute__((unused))

/* Ends the test from anywhere in it as neither passed nor failed. */
__attribute__((noreturn)) TEST_UNUSED static void test_skip(const char *reason);

#ifdef _WIN32
#include "test_windows.h"
#else
#include "test_posix.h"
#endif

/* A test that hangs ends its program. A child that may hang sets an alarm of its own. */
#define TEST_SECONDS_MAXIMUM 300

typedef struct test_case {
    const char *sentence;
    void (*run)(void);
    struct test_case *next;
} test_case;

static test_case *test_first, **test_last = &test_first;
static jmp_buf test_escape;
static unsigned test_assertion_count;
static bool test_skipped;
static char test_folder_path[256];
static const char *test_program; /* for tests that run themselves again */

static void
test_register(test_case *new_case)
{
    *test_last = new_case;
    test_last = &new_case->next;
}

#define TEST_NAME(prefix, line) TEST_NAME_(prefix, line)
#define TEST_NAME_(prefix, line) prefix##line

#define TEST(text)                                                                                     \
    static void TEST_NAME(test_run_, __LINE__)(void);                                                  \
    static test_case TEST_NAME(test_case_, __LINE__) = { text, TEST_NAME(test_run_, __LINE__), NULL }; \
    __attribute__((constructor)) static void TEST_NAME(test_add_, __LINE__)(void)                      \
    {                                                                                                  \
        test_register(&TEST_NAME(test_case_, __LINE__));                                               \
    }                                                                                                  \
    static void TEST_NAME(test_run_, __LINE__)(void)

#ifdef __MINGW_PRINTF_FORMAT
#define TEST_PRINTF __MINGW_PRINTF_FORMAT
#else
#define TEST_PRINTF printf
#endif

enum { TEST_ESCAPE_FAILED = 1, TEST_ESCAPE_SKIPPED };

static void
test_skip(const char *reason)
{
    test_skipped = true;
    printf("  skipped: %s\n", reason);
    longjmp(test_escape, TEST_ESCAPE_SKIPPED);
}

__attribute__((noreturn, format(TEST_PRINTF, 3, 4))) static void
test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "    %s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    longjmp(test_escape, TEST_ESCAPE_FAILED);
}

#define CHECK(condition)                                                             \
    do {                                                                             \
        test_assertion_count++;                                                      \
        if (!(condition)) test_fail(__FILE__, __LINE__, "not true: %s", #condition); \
    } while (0)

/* Two numbers of up to 64 bits: CHECK_EQUAL(is, should be). */
#define CHECK_EQUAL(actual, expected)                                                                         \
    do {                                                                                                      \
        long long test_actual = (long long)(actual), test_expected = (long long)(expected);                   \
        test_assertion_count++;                                                                               \
        if (test_actual != test_expected) {                                                                   \
            test_fail(__FILE__, __LINE__, "%s is %lld, should be %lld", #actual, test_actual, test_expected); \
        }                                                                                                     \
    } while (0)
#define CHECK_SIZE CHECK_EQUAL

#define CHECK_STRING(actual, expected)                                               \
    do {                                                                             \
        const char *test_actual = (actual), *test_expected = (expected);             \
        test_assertion_count++;                                                      \
        if (!test_actual || strcmp(test_actual, test_expected) != 0) {               \
            test_fail(__FILE__, __LINE__, "%s is \"%s\", should be \"%s\"", #actual, \
                      test_actual ? test_actual : "(null)", test_expected);          \
        }                                                                            \
    } while (0)

/* Ends the test as neither passed nor failed; says why. */
#define SKIP(reason)                       \
    do {                                   \
        test_skipped = true;               \
        printf("  skipped: %s\n", reason); \
        return;                            \
    } while (0)

/* This test's own folder, and a path in it. The path lies in one of eight buffers that take turns. */
TEST_UNUSED static const char *
test_folder(void)
{
    return test_folder_path;
}

TEST_UNUSED static const char *
test_path(const char *name)
{
    static char buffers[8][2048];
    static unsigned turn;
    char *buffer = buffers[turn++ % 8];

    snprintf(buffer, sizeof(buffers[0]), "%s/%s", test_folder_path, name);
    return buffer;
}

TEST_UNUSED static void
test_write(const char *name, const void *bytes, size_t size)
{
    int descriptor = open(test_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (descriptor < 0 || write(descriptor, bytes, size) != (ssize_t)size)
        test_fail(__FILE__, __LINE__, "cannot write %s", name);
    close(descriptor);
}

TEST_UNUSED static void
test_mkdir(const char *name)
{
    if (test_make_directory(test_path(name)) != 0) test_fail(__FILE__, __LINE__, "cannot make the folder %s", name);
}

/* xorshift: the same numbers at each run. */
TEST_UNUSED static uint64_t
test_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static void
test_make_folder(void)
{
    if (test_make_unique(test_folder_path, sizeof(test_folder_path))) return;
    perror(test_folder_path);
    exit(2);
}

/* True when it passed. */
static bool
test_run_case(const test_case *current)
{
    volatile bool finished = false;

    test_assertion_count = 0;
    test_skipped = false;
    test_make_folder();
    alarm(TEST_SECONDS_MAXIMUM);
    switch (setjmp(test_escape)) {
        case 0:
            current->run();
            finished = true;
            break;
        case TEST_ESCAPE_SKIPPED: finished = true;
    }
    alarm(0);
    test_remove_tree(test_folder_path);
    if (finished && test_assertion_count == 0 && !test_skipped) {
        fprintf(stderr, "    no assertion\n");
        return false;
    }
    return finished;
}

/* With an argument: only the tests whose sentence contains it. */
int
main(int argument_count, char **arguments)
{
    unsigned passed = 0, failed = 0, skipped = 0;

    test_program = arguments[0];
    for (const test_case *current = test_first; current; current = current->next) {
        if (argument_count > 1 && !strstr(current->sentence, arguments[1])) continue;
        bool good = test_run_case(current);
        if (!good) fprintf(stderr, "  FAILED: %s\n", current->sentence);
        if (!good) failed++;
        else if (test_skipped) skipped++;
        else passed++;
    }
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed > 0;
}

#endif

/* Mappings and the guard against SIGBUS: see core/system/mapping.h. What ends a process is tried in a child. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/bytes/hash.h"
#include "core/system/mapping.h"

enum { SIZE = 64 * 1024 };

static uint8_t content[SIZE];

/* A file of SIZE bytes, open; content holds the same. */
static int
make_file(const char *name)
{
    for (size_t index = 0; index < SIZE; index++) content[index] = (uint8_t)(index * 11 + 5);
    test_write(name, content, SIZE);
    return open(test_path(name), O_RDWR | O_CLOEXEC);
}

static ws_mapping
map_file(int descriptor, bool copy)
{
    ws_mapping mapping;
    ws_error error;

    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, SIZE, copy, "file", &error), WS_OK);
    return mapping;
}

/* Runs a function in a child without core files and returns its wait status. */
static int
status_of_child(void (*run)(void))
{
    int status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        run();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

TEST("what is forgotten is read again, and a copy forgets nothing")
{
    for (int copy = 0; copy <= 1; copy++) {
        int descriptor = make_file("file");
        ws_mapping mapping = map_file(descriptor, copy);
        close(descriptor);
        CHECK(memcmp(mapping.bytes, content, SIZE) == 0);
        ws_mapping_forget(&mapping, mapping.bytes + 100, mapping.bytes + SIZE - 100);
        ws_mapping_forget(&mapping, mapping.bytes + 100, mapping.bytes + 100);
        ws_mapping_forget(&mapping, mapping.bytes, mapping.bytes + SIZE + 1);
        CHECK(memcmp(mapping.bytes, content, SIZE) == 0);
        ws_mapping_close(&mapping);
    }
}

TEST("a mapping holds the file's bytes after its descriptor is closed")
{
    for (int copy = 0; copy <= 1; copy++) {
        int descriptor = make_file("file");
        ws_mapping mapping = map_file(descriptor, copy);
        close(descriptor);
        CHECK_EQUAL(mapping.size, SIZE);
        CHECK_EQUAL(mapping.copied, copy);
        CHECK(memcmp(mapping.bytes, content, SIZE) == 0);
        CHECK_EQUAL((uintptr_t)mapping.bytes % 64, 0);
        ws_mapping_close(&mapping);
        CHECK(!mapping.bytes && mapping.size == 0);
        ws_mapping_close(&mapping);
    }
}

TEST("a copy does not see what is written later")
{
    int descriptor = make_file("file");
    ws_mapping copy = map_file(descriptor, true);

    CHECK_EQUAL(pwrite(descriptor, "changed", 7, 0), 7);
    close(descriptor);
    CHECK(memcmp(copy.bytes, content, SIZE) == 0);
    ws_mapping_close(&copy);
}

TEST("what cannot be mapped is refused with its reason")
{
    ws_mapping mapping;
    ws_error error;
    int descriptor = make_file("file");

    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, 0, false, "file", &error), WS_TRUNCATED);
    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, SIZE + 1, true, "file", &error), WS_UNREADABLE);
    CHECK(!mapping.bytes);
    close(descriptor);
    CHECK_EQUAL(ws_mapping_open(&mapping, -1, SIZE, false, "file", &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EBADF);
    CHECK_STRING(error.operation, "map");
    CHECK_EQUAL(ws_mapping_open(&mapping, -1, SIZE, true, "file", &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EBADF);
    CHECK_STRING(error.operation, "read");
}

TEST("the hash of a mapping is the hash of its bytes")
{
    int descriptor = make_file("file");
    ws_mapping mapping = map_file(descriptor, false);
    uint64_t hash;

    close(descriptor);
    CHECK_EQUAL(ws_mapping_hash(mapping.bytes, SIZE, 7, &hash), WS_OK);
    CHECK(hash == ws_hash64(content, SIZE, 7));
    CHECK_EQUAL(ws_mapping_hash(mapping.bytes + 3, 100, 7, &hash), WS_OK);
    CHECK(hash == ws_hash64(content + 3, 100, 7));
    CHECK_EQUAL(ws_mapping_hash(mapping.bytes + SIZE, 0, 7, &hash), WS_OK);
    ws_mapping_close(&mapping);
}

TEST("a file that is truncated under its mapping is refused, again and again")
{
    int descriptor = make_file("file");
    ws_mapping mapping = map_file(descriptor, false);
    uint64_t hash = 1;
    sigset_t before, after;

    sigprocmask(SIG_BLOCK, NULL, &before);
    CHECK_EQUAL(ftruncate(descriptor, SIZE / 2), 0);
    for (int round = 0; round < 100; round++) {
        CHECK_EQUAL(ws_mapping_hash(mapping.bytes, SIZE, 0, &hash), WS_UNREADABLE);
        CHECK_EQUAL(ws_mapping_hash(mapping.bytes + SIZE - 3, 3, 0, &hash), WS_UNREADABLE);
        CHECK_EQUAL(ws_mapping_hash(mapping.bytes, SIZE / 2, 0, &hash), WS_OK);
        CHECK(hash == ws_hash64(content, SIZE / 2, 0));
    }
    sigprocmask(SIG_BLOCK, NULL, &after);
    CHECK_EQUAL(sigismember(&after, SIGBUS), sigismember(&before, SIGBUS));
    CHECK_EQUAL(ftruncate(descriptor, 0), 0);
    CHECK_EQUAL(ws_mapping_hash(mapping.bytes, 1, 0, &hash), WS_UNREADABLE);
    close(descriptor);
    ws_mapping_close(&mapping);
}

typedef struct worker {
    pthread_t thread;
    const uint8_t *good, *gone;
    unsigned wrong;
} worker;

/* With an alternate stack of its own, as Ruby's main thread has. */
static void *
work(void *argument)
{
    worker *self = argument;
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
    uint64_t hash, expected = ws_hash64(content, SIZE, 3);

    sigaltstack(&stack, NULL);
    for (int round = 0; round < 300; round++) {
        if (ws_mapping_hash(self->gone, SIZE, 3, &hash) != WS_UNREADABLE) self->wrong++;
        if (ws_mapping_hash(self->good, SIZE, 3, &hash) != WS_OK || hash != expected) self->wrong++;
    }
    sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    free(stack.ss_sp);
    return NULL;
}

TEST("threads that meet a truncated file at the same time do not disturb each other")
{
    enum { THREADS = 4 };
    worker workers[THREADS];
    int good = make_file("good"), gone = make_file("gone");
    ws_mapping good_mapping = map_file(good, false), gone_mapping = map_file(gone, false);

    CHECK_EQUAL(ftruncate(gone, 100), 0);
    for (int index = 0; index < THREADS; index++) {
        workers[index] = (worker){ .good = good_mapping.bytes, .gone = gone_mapping.bytes };
        CHECK_EQUAL(pthread_create(&workers[index].thread, NULL, work, &workers[index]), 0);
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(workers[index].thread, NULL);
        CHECK_EQUAL(workers[index].wrong, 0);
    }
    close(good);
    close(gone);
    ws_mapping_close(&good_mapping);
    ws_mapping_close(&gone_mapping);
}

/* The children. Each starts from a SIGBUS action of its choice and only then installs the guard; for that the parent
 * must not have installed it, so they run the program again with the name of what they are to do. */
static const uint8_t *
make_lost_page(void)
{
    char path[] = "/tmp/warmstart-lost-XXXXXX";
    int descriptor = mkstemp(path);

    if (descriptor < 0 || ftruncate(descriptor, 4096) != 0) _exit(90);
    unlink(path);
    const uint8_t *bytes = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED || ftruncate(descriptor, 0) != 0) _exit(91);
    return bytes;
}

static const uint8_t *lost_page;

static void
install(int flags, void (*handler)(int), void (*detailed)(int, siginfo_t *, void *))
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    action.sa_flags = flags;
    if (detailed) action.sa_sigaction = detailed;
    else action.sa_handler = handler;
    sigaction(SIGBUS, &action, NULL);
    ws_mapping_guard_install();
    ws_mapping_guard_install();
    /* The guard must catch its own with any handler in front. */
    uint64_t hash;
    if (ws_mapping_hash(lost_page, 4096, 0, &hash) != WS_UNREADABLE) _exit(92);
}

static void
touch(void)
{
    volatile uint8_t byte = *(volatile const uint8_t *)lost_page;
    (void)byte;
}

static void
exit_if_as_installed(int code)
{
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    _exit(sigismember(&mask, SIGBUS) && sigismember(&mask, SIGUSR2) ? code : 93);
}

static void
detailed_handler(int number, siginfo_t *info, void *context)
{
    if (number != SIGBUS || !context || info->si_addr != (const void *)lost_page || info->si_code != BUS_ADRERR)
        _exit(94);
    exit_if_as_installed(40);
}

static void
plain_handler(int number)
{
    if (number != SIGBUS) _exit(95);
    exit_if_as_installed(41);
}

static volatile sig_atomic_t handled;

static void
counting_handler(int number)
{
    (void)number;
    handled++;
}

static void
child_detailed(void)
{
    install(SA_SIGINFO, NULL, detailed_handler);
    touch();
}
static void
child_plain(void)
{
    install(0, plain_handler, NULL);
    touch();
}
static void
child_default(void)
{
    install(0, SIG_DFL, NULL);
    touch();
}
static void
child_default_sent(void)
{
    install(0, SIG_DFL, NULL);
    raise(SIGBUS);
}
static void
child_ignored(void)
{
    install(0, SIG_IGN, NULL);
    touch();
}

static void
child_ignored_sent(void)
{
    install(0, SIG_IGN, NULL);
    raise(SIGBUS);
    kill(getpid(), SIGBUS);
    _exit(42);
}

static void
child_handler_returns(void)
{
    sigset_t mask;

    install(0, counting_handler, NULL);
    raise(SIGBUS);
    raise(SIGBUS);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    _exit(handled == 2 && !sigismember(&mask, SIGBUS) && !sigismember(&mask, SIGUSR2) ? 43 : 96);
}

static void
child_handler_once(void)
{
    install((int)SA_RESETHAND, counting_handler, NULL);
    raise(SIGBUS);
    if (handled != 1) _exit(97);
    raise(SIGBUS);
}

static void *
touch_in_thread(void *unused)
{
    (void)unused;
    touch();
    return NULL;
}

/* A thread that never hashed anything. */
static void
child_other_thread(void)
{
    pthread_t thread;

    install(SA_SIGINFO, NULL, detailed_handler);
    pthread_create(&thread, NULL, touch_in_thread, NULL);
    pthread_join(thread, NULL);
}

/* The guard is removed: the handler is the one that was there before. Whoever reads takes the signal again. Another's
 * handler over ours stays. */
static void
child_removed(void)
{
    struct sigaction now;
    uint64_t hash;

    install(0, counting_handler, NULL);
    ws_mapping_guard_remove();
    ws_mapping_guard_remove();
    if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != counting_handler) _exit(98);
    if (ws_mapping_hash(lost_page, 4096, 0, &hash) != WS_UNREADABLE) _exit(92);
    now.sa_handler = SIG_IGN;
    sigaction(SIGBUS, &now, NULL);
    ws_mapping_guard_remove();
    if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != SIG_IGN) _exit(98);
    _exit(44);
}

static const struct {
    const char *name;
    void (*run)(void);
} children[] = {
    { "detailed", child_detailed },         { "plain", child_plain },       { "default", child_default },
    { "default sent", child_default_sent }, { "ignored", child_ignored },   { "ignored sent", child_ignored_sent },
    { "returns", child_handler_returns },   { "once", child_handler_once }, { "thread", child_other_thread },
    { "removed", child_removed },
};

__attribute__((constructor)) static void
run_as_child(void)
{
    const char *name = getenv("MAPPING_TEST_CHILD");

    for (size_t index = 0; name && index < sizeof(children) / sizeof(children[0]); index++) {
        if (strcmp(children[index].name, name) != 0) continue;
        alarm(30); /* a fault that nobody ends is raised for ever */
        lost_page = make_lost_page();
        children[index].run();
        _exit(0);
    }
}

static const char *child_name;

static void
execute_child(void)
{
    setenv("MAPPING_TEST_CHILD", child_name, 1);
    execl(test_program, test_program, (char *)NULL);
    _exit(99);
}

static int
status_of(const char *name)
{
    child_name = name;
    return status_of_child(execute_child);
}

static bool
was_killed_by_sigbus(const char *name)
{
    int status = status_of(name);

    return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
}

static int
exit_code_of(const char *name)
{
    int status = status_of(name);

    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST("a fault elsewhere goes to the handler that was there before, with all it was told")
{
    CHECK_EQUAL(exit_code_of("detailed"), 40);
}

TEST("a handler without details is called as before")
{
    CHECK_EQUAL(exit_code_of("plain"), 41);
}

TEST("without a handler a fault ends the process by SIGBUS")
{
    CHECK(was_killed_by_sigbus("default"));
    CHECK(was_killed_by_sigbus("default sent"));
}

TEST("a fault cannot be ignored, a signal that was sent can")
{
    CHECK(was_killed_by_sigbus("ignored"));
    CHECK_EQUAL(exit_code_of("ignored sent"), 42);
}

TEST("a handler that returns leaves the mask as it was")
{
    CHECK_EQUAL(exit_code_of("returns"), 43);
}

TEST("a handler for one signal is called once")
{
    CHECK(was_killed_by_sigbus("once"));
}

TEST("a fault in a thread that never used the guard goes to the previous handler")
{
    CHECK_EQUAL(exit_code_of("thread"), 40);
}

TEST("where the guard is removed, the previous handler is back")
{
    CHECK_EQUAL(exit_code_of("removed"), 44);
}

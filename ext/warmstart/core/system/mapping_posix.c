/* A file's bytes in memory on POSIX systems, and reading them without dying of SIGBUS.
 *
 * The image's store maps segments. Segment and image verify checksums with ws_mapping_hash just before the bytes are
 * used. A mapped page whose part of the file is gone (truncated in place, dead disk) raises SIGBUS in the thread that
 * touches it. While a thread hashes, a record on its stack says which bytes it reads and where to jump back to. The
 * handler finds the record through a thread-specific key and jumps. Every other SIGBUS goes to the previous handler.
 * That is Ruby's, whose crash report must stay as it is. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/system/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/bytes/hash.h"

/* The most that one read transfers: macOS refuses more than INT_MAX bytes. */
#define WS_MAPPING_CHUNK_SIZE ((size_t)1 << 30)

/* A copy is aligned to a cache line, so that it may hold structures of any alignment, as a mapping may. */
#define WS_MAPPING_ALIGNMENT 64

static ws_code
ws_mapping_read(uint8_t *bytes, int descriptor, size_t size, const char *path, ws_error *error)
{
    size_t done = 0;

    while (done < size) {
        size_t wanted = size - done < WS_MAPPING_CHUNK_SIZE ? size - done : WS_MAPPING_CHUNK_SIZE;
        ssize_t count = pread(descriptor, bytes + done, wanted, (off_t)done);

        if (count == 0) return ws_error_set(error, WS_UNREADABLE, 0, "read", path);
        if (count > 0) done += (size_t)count;
        else if (errno != EINTR) return ws_error_set(error, WS_SYSTEM, errno, "read", path);
    }
    return WS_OK;
}

static ws_code
ws_mapping_copy(ws_mapping *mapping, int descriptor, size_t size, const char *path, ws_error *error)
{
    void *bytes = NULL;
    int error_number = posix_memalign(&bytes, WS_MAPPING_ALIGNMENT, size);

    if (error_number != 0) return ws_error_set(error, WS_MEMORY, error_number, "allocate", path);
    ws_code code = ws_mapping_read(bytes, descriptor, size, path, error);
    if (code != WS_OK) {
        free(bytes);
        return code;
    }
    *mapping = (ws_mapping){ .bytes = bytes, .size = size, .copied = true };
    return WS_OK;
}

ws_code
ws_mapping_open(ws_mapping *mapping, int descriptor, size_t size, bool copy, const char *path, ws_error *error)
{
    *mapping = (ws_mapping){ .bytes = NULL, .size = 0, .copied = false };
    /* None of our files is empty, and mmap refuses a size of 0. */
    if (size == 0) return ws_error_set(error, WS_TRUNCATED, 0, "map", path);
    if (copy) return ws_mapping_copy(mapping, descriptor, size, path, error);

    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    int error_number = errno;
    if (bytes == MAP_FAILED) {
        /* Some file systems do not support mappings. */
        if (error_number == ENODEV) return ws_mapping_copy(mapping, descriptor, size, path, error);
        return ws_error_set(error, error_number == ENOMEM ? WS_MEMORY : WS_SYSTEM, error_number, "map", path);
    }
    *mapping = (ws_mapping){ .bytes = bytes, .size = size, .copied = false };
    return WS_OK;
}

/* In a debug build the sanitizer has to know where the copy ends, so malloc's memory is used there. */
#if defined(MAP_POPULATE) && defined(MAP_ANONYMOUS) && !defined(WS_DEBUG) && !defined(__SANITIZE_ADDRESS__)
void *
ws_mapping_allocate(size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void
ws_mapping_release(void *bytes, size_t size)
{
    if (bytes) munmap(bytes, size);
}
#else
void *
ws_mapping_allocate(size_t size)
{
    void *bytes = NULL;
    return posix_memalign(&bytes, WS_MAPPING_ALIGNMENT, size) == 0 ? bytes : NULL;
}

void
ws_mapping_release(void *bytes, size_t size)
{
    (void)size;
    free(bytes);
}
#endif

void
ws_mapping_close(ws_mapping *mapping)
{
    if (mapping->bytes) {
        if (mapping->copied) free((void *)mapping->bytes);
        else munmap((void *)mapping->bytes, mapping->size);
    }
    *mapping = (ws_mapping){ .bytes = NULL, .size = 0, .copied = false };
}

/* Nothing is lost, because the mapping is private and never written. */
void
ws_mapping_forget(const ws_mapping *mapping, const uint8_t *from, const uint8_t *to)
{
#ifdef MADV_DONTNEED
    long page_size = sysconf(_SC_PAGESIZE);
    if (mapping->copied || page_size <= 0 || from < mapping->bytes || to > mapping->bytes + mapping->size) return;
    uintptr_t mask = ~((uintptr_t)page_size - 1);
    uintptr_t first = ((uintptr_t)from + ~mask) & mask, last = (uintptr_t)to & mask;
    if (last > first) madvise((void *)first, last - first, MADV_DONTNEED);
#else
    (void)mapping, (void)from, (void)to;
#endif
}

/* What one thread reads at this moment. */
typedef struct ws_guard {
    sigjmp_buf back;
    uintptr_t first_byte, last_byte;
} ws_guard;

static struct {
    pthread_mutex_t lock;
    bool has_key;
    _Atomic bool works;
    _Atomic unsigned users; /* threads that read, or are about to */
    uintptr_t page_mask;
    struct sigaction previous;
    /* A key rather than a __thread variable: the handler may run in a thread that never came here, and in such a thread
     * the first access to a variable of a loaded library may allocate. */
    pthread_key_t key;
} guards = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Did the kernel raise the signal for an instruction? Otherwise somebody sent it. */
static bool
ws_guard_is_fault(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_code != SI_USER;
}

/* Compares whole pages, because some machines report only the page's address. */
static bool
ws_guard_covers(const ws_guard *guard, uintptr_t address)
{
    return address >= (guard->first_byte & guards.page_mask) && address <= (guard->last_byte | ~guards.page_mask);
}

/* Leaves the default action to the kernel, so that status, core file and address are those of the original fault: the
 * instruction faults again when the handler returns. A signal that was sent belongs to no instruction, so it is sent
 * again. */
static void
ws_guard_default(const siginfo_t *info)
{
    struct sigaction action;

    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
    if (!ws_guard_is_fault(info)) raise(SIGBUS);
}

/* Calls the previous handler as the kernel would have: with its signal mask, and only once if it asked for that. */
static void
ws_guard_call_previous(int number, siginfo_t *info, void *context)
{
    struct sigaction previous = guards.previous;
    sigset_t mask = previous.sa_mask, before;

    if (previous.sa_flags & SA_RESETHAND) guards.previous.sa_handler = SIG_DFL;
    if (!(previous.sa_flags & SA_NODEFER)) sigaddset(&mask, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    if (previous.sa_flags & SA_SIGINFO) previous.sa_sigaction(number, info, context);
    else previous.sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* sa_handler and sa_sigaction share their storage, so the first comparisons work for both kinds. A fault cannot be
 * ignored: the kernel kills a process that tries. */
static void
ws_guard_chain(int number, siginfo_t *info, void *context)
{
    if (guards.previous.sa_handler == SIG_DFL) ws_guard_default(info);
    else if (guards.previous.sa_handler != SIG_IGN) ws_guard_call_previous(number, info, context);
    else if (ws_guard_is_fault(info)) ws_guard_default(info);
}

/* SA_NODEFER leaves the signal unblocked while this runs. So a jump out of the handler leaves the thread's signal mask
 * as it was, and sigsetjmp need not save the mask, which would cost a system call each time.
 *
 * On macOS the kernel continues to believe that a thread which jumped is on its alternate stack. The only cost is that
 * a later stack overflow in that thread is not reported, in a process whose image was truncated while it ran. */
static void
ws_guard_handle(int number, siginfo_t *info, void *context)
{
    int error_number = errno;
    ws_guard *guard = pthread_getspecific(guards.key);

    if (guard && ws_guard_is_fault(info) && ws_guard_covers(guard, (uintptr_t)info->si_addr))
        siglongjmp(guard->back, 1);
    ws_guard_chain(number, info, context);
    errno = error_number;
}

static bool
ws_guard_make_key(void)
{
    long page_size = sysconf(_SC_PAGESIZE);

    guards.page_mask = ~((uintptr_t)(page_size > 0 ? page_size : 4096) - 1);
    return pthread_key_create(&guards.key, NULL) == 0;
}

/* Saves the previous handler before ours can run. */
static bool
ws_guard_take_signal(void)
{
    struct sigaction action;

    if (sigaction(SIGBUS, NULL, &guards.previous) != 0) return false;
    action.sa_sigaction = ws_guard_handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, NULL) == 0;
}

static bool
ws_guard_install(void)
{
    if (guards.works) return true;
    pthread_mutex_lock(&guards.lock);
    guards.has_key = guards.has_key || ws_guard_make_key();
    bool works = guards.has_key && (guards.works || ws_guard_take_signal());
    guards.works = works;
    pthread_mutex_unlock(&guards.lock);
    return works;
}

void
ws_mapping_guard_install(void)
{
    ws_guard_install();
}

void
ws_mapping_guard_remove(void)
{
    struct sigaction now;

    pthread_mutex_lock(&guards.lock);
    bool works = guards.works;
    guards.works = false; /* whoever begins to read from here on waits for the lock and takes the signal again */
    bool ours = works && guards.users == 0 && sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
                now.sa_sigaction == ws_guard_handle;
    if (!ours || sigaction(SIGBUS, &guards.previous, NULL) != 0) guards.works = works;
    pthread_mutex_unlock(&guards.lock);
}

static bool
ws_guard_begin(ws_guard *guard, const void *bytes, size_t size)
{
    guards.users++;
    bool works = ws_guard_install();
    guard->first_byte = (uintptr_t)bytes;
    guard->last_byte = (uintptr_t)bytes + (size > 0 ? size - 1 : 0);
    if (!works) guards.users--;
    return works;
}

static void
ws_guard_end(void)
{
    pthread_setspecific(guards.key, NULL);
    guards.users--;
}

/* This is a separate function so that no local variable of a caller lives across sigsetjmp. */
static ws_code
ws_guard_hash(ws_guard *guard, const void *bytes, size_t size, uint64_t seed, uint64_t *hash)
{
    if (sigsetjmp(guard->back, 0) != 0) return WS_UNREADABLE;
    if (pthread_setspecific(guards.key, guard) != 0) return WS_MEMORY;
    *hash = ws_hash64(bytes, size, seed);
    return WS_OK;
}

ws_code
ws_mapping_hash(const void *bytes, size_t size, uint64_t seed, uint64_t *hash)
{
    ws_guard guard;

    if (!ws_guard_begin(&guard, bytes, size)) return WS_SYSTEM;
    ws_code code = ws_guard_hash(&guard, bytes, size, seed, hash);
    ws_guard_end();
    return code;
}

static ws_code
ws_guard_copy(ws_guard *guard, void *to, const void *from, size_t size)
{
    if (sigsetjmp(guard->back, 0) != 0) return WS_UNREADABLE;
    if (pthread_setspecific(guards.key, guard) != 0) return WS_MEMORY;
    memcpy(to, from, size);
    return WS_OK;
}

ws_code
ws_mapping_read_out(void *to, const void *from, size_t size)
{
    ws_guard guard;

    if (!ws_guard_begin(&guard, from, size)) return WS_SYSTEM;
    ws_code code = ws_guard_copy(&guard, to, from, size);
    ws_guard_end();
    return code;
}
#endif

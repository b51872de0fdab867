/* Fuzzes what reads a record. The input is the file, as it is and with a right size and checksum in its header. If a
 * record is accepted, its content must be what follows the header. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/bytes/hash.h"
#include "core/image/record.h"
#include "core/image/store_files.h"

/* The same as record_header in record.c. */
typedef struct header {
    char magic[16];
    uint64_t size;
    ws_hash128 hash, origin;
} header;

const fuzz_kind fuzz_target = { false, sizeof(header) };

static const char *
folder(void)
{
    static char path[] = "/tmp/warmstart-fuzz-XXXXXX";
    static bool made;

    if (!made && mkdtemp(path) == NULL) abort();
    made = true;
    return path;
}

static const char *
file_path(void)
{
    static char path[128];
    char name[64];

    ws_record_name(name, 7, 1);
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return path;
}

static ws_trust
own_trust(void)
{
    return (ws_trust){ .user = (uint32_t)geteuid(), .application_owner = (uint32_t)geteuid() };
}

static void
clean(void)
{
    unlink(file_path());
    char lock[128];
    snprintf(lock, sizeof lock, "%s/lock", folder());
    unlink(lock);
    rmdir(folder());
}

void
fuzz_seeds(fuzz_take take, void *context)
{
    static char bytes[8192];
    static const char *const contents[] = { "", "x", "what Bundler found out",
                                            ("\x04\x08[\x07:\x06"
                                             "a") };
    ws_trust trust = own_trust();
    ws_error error;

    atexit(clean);
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        if (ws_record_write(folder(), NULL, &trust, 7, 1, contents[i], strlen(contents[i]), NULL, &error) != WS_OK)
            abort();
        int file = open(file_path(), O_RDONLY | O_CLOEXEC);
        ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
        if (size < 0) abort();
        close(file);
        take(context, bytes, (size_t)size);
    }
}

static void
read_back(const uint8_t *bytes, size_t size)
{
    ws_trust trust = own_trust();
    ws_error error;
    void *content = NULL;
    size_t content_size = 0;
    int file = open(file_path(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (file < 0 || write(file, bytes, size) != (ssize_t)size) abort();
    close(file);
    if (ws_record_read(folder(), &trust, 7, 1, &content, &content_size, &error) == WS_OK) {
        FUZZ_CHECK(content_size + sizeof(header) == size);
        FUZZ_CHECK(content_size == 0 || memcmp(content, bytes + sizeof(header), content_size) == 0);
    }
    else FUZZ_CHECK(content == NULL);
    free(content);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    header right;

    read_back(data, size);
    if (size < sizeof right) return 0;
    uint8_t *sealed = fuzz_copy(data, size);
    memcpy(&right, sealed, sizeof right);
    right.size = size - sizeof right;
    right.hash = ws_hash128_bytes(sealed + sizeof right, size - sizeof right);
    memcpy(sealed, &right, sizeof right);
    read_back(sealed, size);
    free(sealed);
    return 0;
}

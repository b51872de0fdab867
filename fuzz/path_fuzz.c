/* Fuzzes the path rules of both systems, with the contract in path.h. Nothing may be read or written beyond what was
 * given. A result must be what the contract says: canonical where it says so, and unchanged when it is given to the
 * same function again. The input is a path, a base, a folder for "~" (separated by NULs), and a size of the buffer (the
 * last byte). */
#include "fuzz.h"

#include "core/path/path.h"
#include "core/path/path_windows.h"

const fuzz_kind fuzz_target = { true, 0 };

enum { BUFFER_SIZE = 8192 };

void
fuzz_seeds(fuzz_take take, void *context)
{
#define SEED(text)            \
    {                         \
        text, sizeof text - 1 \
    }
    static const ws_text seeds[] = {
        SEED("a/../b/./c\0/srv//shop\0/home/me\0\x7f"),
        SEED("~/x\0/\0/home\0\x05"),
        SEED("//host/share/../a\0C:/w\0C:/Users/me\0\x40"),
        SEED("C:a\\..\\b.\0D:/\0\0\x10"),
        SEED("\\\\?\\C:\\a \0//h/s\0~\0\xff"),
        SEED("a/b.rb\0/\0\0\x01"),
        SEED("x.so:stream\0C:/\0C:/\0\x20"),
        SEED("///a//\0\0/\0\x08"),
        SEED("~user/x\0/a/..\0/\0\x30"),
        SEED("..\0/a\0\0\x02"),
    };
#undef SEED

    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) take(context, seeds[i].bytes, seeds[i].size);
}

typedef struct texts {
    ws_text path, base, home;
    size_t room;
} texts;

static ws_text
next_text(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *stop = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
    size_t size = (size_t)((stop != NULL ? stop : end) - *at);
    ws_text text = { fuzz_copy(*at, size), size };

    *at = stop != NULL ? stop + 1 : end;
    return text;
}

static void
check_names(const ws_path_rules *rules, const texts *it)
{
    ws_feature_name name;
    const char *bytes = it->path.bytes;
    size_t size = it->path.size;

    if (rules->feature_name(bytes, size, "so", &name)) {
        FUZZ_CHECK(name.stem_size <= size && size <= WS_FEATURE_SIZE_MAXIMUM);
        FUZZ_CHECK(!rules->is_absolute(bytes, size) && bytes[0] != '~');
    }
    if (rules->is_canonical(bytes, size)) {
        FUZZ_CHECK(rules->is_absolute(bytes, size));
        FUZZ_CHECK(rules->is_within(bytes, size, bytes, size));
        FUZZ_CHECK(rules->is_within(bytes, size, bytes, rules->directory_size(bytes, size)));
    }
    FUZZ_CHECK(rules->directory_size(bytes, size) <= size);
    rules->is_within(bytes, size, it->base.bytes, it->base.size);
    FUZZ_CHECK(rules->is_same(it->path, it->path) || memchr(bytes, '\0', size) != NULL);
    FUZZ_CHECK(rules->is_same(it->path, it->base) == rules->is_same(it->base, it->path));
}

static void
check_join(const ws_path_rules *rules, const texts *it)
{
    char *buffer = malloc(it->room + 1), whole[BUFFER_SIZE];
    size_t size = rules->join(buffer, it->room, it->base.bytes, it->base.size, it->path.bytes, it->path.size);

    if (size > 0) FUZZ_CHECK(size < it->room && buffer[size] == '\0');
    size = rules->join(whole, sizeof whole, it->base.bytes, it->base.size, it->path.bytes, it->path.size);
    if (size > 0) FUZZ_CHECK(size <= it->base.size + it->path.size + 1);
    free(buffer);
}

static bool
two_separators(const char *path, size_t size)
{
    return size > 1 && strchr("/\\", path[0]) != NULL && path[0] != '\0' && strchr("/\\", path[1]) != NULL &&
           path[1] != '\0';
}

/* Does a result stay the same when it is given to the function again? On Windows this does not hold for paths that
 * begin with two separators (a host, an incomplete host or a prefix), that end in a dot or a space, or that end in a
 * device's name. From some of these, Ruby's own rules remove another separator, dot or space each time. They also take
 * "c:/con/" for a file and "c:/con" for the device. Ours do what Ruby's do (docs/windows_and_files.md). */
static bool
settles(const ws_path_rules *rules, const char *result, size_t size, ws_text base)
{
    bool trimmed = size > 0 && (result[size - 1] == '.' || result[size - 1] == ' ');
    bool device = ws_windows_device((ws_text){ result, size }).size > 0;
    return !rules->windows ||
           (!trimmed && !device && !two_separators(result, size) && !two_separators(base.bytes, base.size));
}

static void
check_expand(const ws_path_rules *rules, const texts *it)
{
    char *small = malloc(it->room + 1), whole[BUFFER_SIZE], again[BUFFER_SIZE];
    size_t size = rules->expand(whole, sizeof whole, it->path.bytes, it->path.size, it->base.bytes, it->base.size);
    size_t small_size = rules->expand(small, it->room, it->path.bytes, it->path.size, it->base.bytes, it->base.size);

    if (size > 0) {
        FUZZ_CHECK(whole[size] == '\0' && rules->is_absolute(whole, size));
        size_t again_size = rules->expand(again, sizeof again, whole, size, it->base.bytes, it->base.size);
        FUZZ_CHECK(!settles(rules, whole, size, it->base) || (again_size == size && memcmp(again, whole, size) == 0));
    }
    if (small_size > 0) FUZZ_CHECK(small_size == size && small_size < it->room && memcmp(small, whole, size) == 0);
    free(small);
}

static void
check_full(const ws_path_rules *rules, const texts *it, bool tilde)
{
    bool known = rules->is_absolute(it->base.bytes, it->base.size); /* A working directory is absolute. */
    ws_path_surroundings surroundings = { known ? it->base : (ws_text){ "", 0 }, it->home, NULL, NULL };
    char *small = malloc(it->room + 1), whole[BUFFER_SIZE], again[BUFFER_SIZE];
    size_t size = 0, other_size = 0;
    ws_path_answer answer = rules->full(whole, sizeof whole, &size, it->path, NULL, tilde, &surroundings);

    if (answer == WS_PATH_ANSWERED) {
        ws_text result = { whole, size };
        FUZZ_CHECK(size < sizeof whole);
        FUZZ_CHECK(rules->full(again, sizeof again, &other_size, result, NULL, false, &surroundings) ==
                   WS_PATH_ANSWERED);
        bool home = it->path.size > 0 && it->path.bytes[0] == '~'; /* the home folder is taken as it is */
        FUZZ_CHECK(home || !settles(rules, whole, size, it->base) ||
                   (other_size == size && memcmp(again, whole, size) == 0));
    }
    if (rules->full(small, it->room, &other_size, it->path, &it->base, tilde, &surroundings) == WS_PATH_ANSWERED)
        FUZZ_CHECK(other_size < it->room);
    if (rules->is_settled(it->path.bytes, it->path.size))
        FUZZ_CHECK(answer == WS_PATH_ANSWERED && size == it->path.size && memcmp(whole, it->path.bytes, size) == 0);
    free(small);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ws_path_rules *const flavours[] = { &ws_path_rules_posix, &ws_path_rules_windows };
    const uint8_t *at = data, *end = data + size;

    if (size == 0 || size > BUFFER_SIZE / 4) return 0;
    texts it;
    it.path = next_text(&at, end);
    it.base = next_text(&at, end);
    it.home = next_text(&at, end);
    it.room = data[size - 1];
    for (size_t i = 0; i < 2; i++) {
        check_names(flavours[i], &it);
        check_join(flavours[i], &it);
        check_expand(flavours[i], &it);
        check_full(flavours[i], &it, true);
        check_full(flavours[i], &it, false);
    }
    free((void *)it.path.bytes);
    free((void *)it.base.bytes);
    free((void *)it.home.bytes);
    return 0;
}

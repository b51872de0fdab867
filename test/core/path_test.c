/* POSIX path rules: see core/path/path.h. expand is compared with the File.expand_path of the Ruby that runs the tests.
 */
#include "test.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "core/path/path.h"

static const ws_path_rules *const rules = &ws_path_rules_posix;
#include "path_fixture.h"

/* "stem|kind": what the rules make of a feature. */
static const char *
describe_feature(const char *feature, const char *dlext)
{
    static const char *const kinds[] = { "none", "rb", "library" };
    static char buffer[2000];
    ws_feature_name name;

    if (!rules->feature_name(feature, strlen(feature), dlext, &name)) return "not canonical";
    snprintf(buffer, sizeof(buffer), "%.*s|%s", (int)name.stem_size, feature, kinds[name.extension]);
    return buffer;
}

static size_t
directory_size(const char *path)
{
    return rules->directory_size(path, strlen(path));
}

TEST("this platform's rules are chosen")
{
#ifdef _WIN32
    CHECK(ws_path_rules_native() == &ws_path_rules_windows);
#else
    CHECK(ws_path_rules_native() == &ws_path_rules_posix);
#endif
}

TEST("a path is absolute when it begins with a slash")
{
    CHECK(rules->is_absolute("/", 1));
    CHECK(rules->is_absolute("/a", 2));
    CHECK(!rules->is_absolute("a", 1));
    CHECK(!rules->is_absolute("~/a", 3));
    CHECK(!rules->is_absolute("/", 0));
}

TEST("a feature ends as load.c sees it")
{
    CHECK_STRING(describe_feature("json", "so"), "json|none");
    CHECK_STRING(describe_feature("json.rb", "so"), "json|rb");
    CHECK_STRING(describe_feature("json/ext.so", "so"), "json/ext|library");
    CHECK_STRING(describe_feature("json/ext.o", "so"), "json/ext|library");
    CHECK_STRING(describe_feature("json/ext.bundle", "so"), "json/ext.bundle|none");
    CHECK_STRING(describe_feature("json/ext.bundle", "bundle"), "json/ext|library");
    CHECK_STRING(describe_feature("json/ext.so", "bundle"), "json/ext|library");
    CHECK_STRING(describe_feature("foo.bar", "so"), "foo.bar|none");
    CHECK_STRING(describe_feature("foo.rb.rb", "so"), "foo.rb|rb");
    CHECK_STRING(describe_feature("foo.so.rb", "so"), "foo.so|rb");
    CHECK_STRING(describe_feature("foo.RB", "so"), "foo.RB|none");
    CHECK_STRING(describe_feature("foo.rb/bar", "so"), "foo.rb/bar|none");
    CHECK_STRING(describe_feature("foo.", "so"), "foo.|none");
    CHECK_STRING(describe_feature("rb", "so"), "rb|none");
    CHECK_STRING(describe_feature("so", "so"), "so|none");
    CHECK_STRING(describe_feature("...", "so"), "...|none");
    CHECK_STRING(describe_feature("a b/\xC3\xA9.rb", "so"), "a b/\xC3\xA9|rb");
}

TEST("only canonical names are features")
{
    static const char *const refused[] = { "",     "/",     "/a",     "a/",  "a//b", ".", "..",  "./a",
                                           "../a", "a/./b", "a/../b", "a/.", "a/..", "~", "~/a", "~a" };

    for (size_t index = 0; index < sizeof(refused) / sizeof(refused[0]); index++) CHECK(!is_feature(refused[index]));
    CHECK(is_feature("a~"));
    CHECK(is_feature("a/~"));
    CHECK(is_feature("..."));
    CHECK(is_feature("a/..b"));
    CHECK(is_feature("a/b..c"));
    CHECK(!rules->feature_name("a\0b", 3, "so", &(ws_feature_name){ 0 }));
    CHECK(!rules->feature_name("a.rb\0", 5, "so", &(ws_feature_name){ 0 }));
}

TEST("a feature has at most a thousand bytes")
{
    char name[1002];

    memset(name, 'a', sizeof(name));
    name[1000] = '\0';
    CHECK(is_feature(name));
    name[1000] = 'a';
    name[1001] = '\0';
    CHECK(!is_feature(name));
}

TEST("a canonical path is absolute and has plain components only")
{
    static const char *const refused[] = { "",      "a",  "a/b", "//",   "//a",   "/a/",
                                           "/a//b", "/.", "/..", "/./a", "/a/..", "/a/../b" };

    for (size_t index = 0; index < sizeof(refused) / sizeof(refused[0]); index++) CHECK(!is_canonical(refused[index]));
    CHECK(is_canonical("/"));
    CHECK(is_canonical("/a"));
    CHECK(is_canonical("/a/b.rb"));
    CHECK(is_canonical("/a/.b/..c/~"));
    CHECK(!rules->is_canonical("/a\0b", 4));
}

TEST("a directory part has no trailing separator, except for the root")
{
    CHECK_SIZE(directory_size("/a/b.rb"), 2);
    CHECK_SIZE(directory_size("/a/b/c"), 4);
    CHECK_SIZE(directory_size("/b.rb"), 1);
    CHECK_SIZE(directory_size("/"), 1);
    CHECK_SIZE(directory_size("a/b"), 1);
    CHECK_SIZE(directory_size("b"), 0);
    CHECK_SIZE(directory_size(""), 0);
    CHECK_SIZE(directory_size("/a//b"), 2);
    CHECK_SIZE(directory_size("//a"), 1);
}

TEST("joining puts one separator between")
{
    CHECK_STRING(join("/a", "b.rb"), "/a/b.rb");
    CHECK_STRING(join("/", "b.rb"), "/b.rb");
    CHECK_STRING(join("/a/", "b"), "/a/b");
    CHECK_STRING(join("/a", ""), "/a");
    CHECK_STRING(join("", "b"), "b");
    CHECK_STRING(join("", ""), "");
}

TEST("joining writes nothing where it does not fit")
{
    char buffer[7] = "xxxxxx";

    CHECK_SIZE(rules->join(buffer, 6, "/ab", 3, "cd", 2), 0);
    CHECK_SIZE(rules->join(buffer, 0, "/ab", 3, "cd", 2), 0);
    CHECK_SIZE(rules->join(buffer, 6, "/ab", 3, "cd", SIZE_MAX), 0);
    CHECK_STRING(buffer, "xxxxxx");
    CHECK_SIZE(rules->join(buffer, 7, "/ab", 3, "cd", 2), 6);
    CHECK_STRING(buffer, "/ab/cd");
}

TEST("inside a directory means by components")
{
    CHECK(is_within("/a/b", "/a"));
    CHECK(is_within("/a", "/a"));
    CHECK(!is_within("/ab", "/a"));
    CHECK(!is_within("/a", "/a/b"));
    CHECK(!is_within("/b/a", "/a"));
    CHECK(is_within("/a", "/"));
    CHECK(is_within("/", "/"));
    CHECK(!is_within("/a", ""));
}

TEST("expanding resolves dots without the disk")
{
    CHECK_STRING(expand("b", "/a"), "/a/b");
    CHECK_STRING(expand("", "/a"), "/a");
    CHECK_STRING(expand(".", "/a/"), "/a");
    CHECK_STRING(expand("../../../b", "/a"), "/b");
    CHECK_STRING(expand("/x/./y//z/../", "/a"), "/x/y");
    CHECK_STRING(expand("..", "/"), "/");
    CHECK_STRING(expand("//a", "/"), "//a");
    CHECK_STRING(expand("//a/../b", "/"), "/b");
    CHECK_STRING(expand("a~", "/"), "/a~");
}

TEST("expanding leaves to Ruby what only Ruby can answer")
{
    char buffer[100];

    CHECK_STRING(expand("~", "/a"), "(nothing)");
    CHECK_STRING(expand("~/b", "/a"), "(nothing)");
    CHECK_STRING(expand("b", "a"), "(nothing)");
    CHECK_STRING(expand("b", ""), "(nothing)");
    CHECK_SIZE(rules->expand(buffer, sizeof(buffer), "a\0b", 3, "/", 1), 0);
    CHECK_SIZE(rules->expand(buffer, sizeof(buffer), "a", 1, "/\0b", 3), 0);
}

TEST("expanding never writes behind its buffer")
{
    static const char *const paths[] = { "/", "//", "///", "/a", "//a", "a", "abc/d", "..", "/a/../..", "" };
    static const char *const bases[] = { "/", "//", "/x", "/xyz/w" };

    for (size_t path = 0; path < sizeof(paths) / sizeof(paths[0]); path++) {
        for (size_t base = 0; base < sizeof(bases) / sizeof(bases[0]); base++) {
            for (size_t capacity = 0; capacity < 16; capacity++) {
                char *exact = malloc(capacity > 0 ? capacity : 1);
                size_t size =
                    rules->expand(exact, capacity, paths[path], strlen(paths[path]), bases[base], strlen(bases[base]));
                CHECK(size == 0 || (size < capacity && strlen(exact) == size));
                CHECK(size > 0 || capacity < 15);
                free(exact);
            }
        }
    }
}

/* A path made of pieces that have caused trouble somewhere. */
static void
make_path(char *buffer, uint64_t *state, bool absolute)
{
    static const char *const pieces[] = { "",     "",     ".",  ".",   "..",  "..",   "..",  "a",
                                          "b.rb", "...",  ".x", "..x", "x..", "x.",   "a b", "\xC3\xA9",
                                          "\\",   "a\\b", "C:", "~",   " ",   "\xFF", "-",   "\t" };
    size_t count = test_random(state) >> 33 & 7;

    strcpy(buffer, absolute || (test_random(state) >> 40 & 3) == 0 ? "/" : "");
    for (size_t index = 0; index < count; index++) {
        const char *piece = pieces[(test_random(state) >> 35) % (sizeof(pieces) / sizeof(pieces[0]))];
        if (index > 0 || (buffer[0] == '/' && (test_random(state) >> 50 & 3) == 0)) strcat(buffer, "/");
        if (buffer[0] != '\0' || piece[0] != '~') strcat(buffer, piece);
    }
    if ((test_random(state) >> 45 & 7) == 0) strcat(buffer, "/");
}

static const char ruby_expand[] =
    "File.binwrite(ARGV[1], File.binread(ARGV[0]).split(%q(|), -1)[0..-2].each_slice(2).map { |path, base| "
    "File.expand_path(path, base).b + %q(|) }.join)";

static void
run_ruby(const char *program, const char *input, const char *output)
{
    const char *ruby = getenv("RUBY");
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        execlp(ruby ? ruby : "ruby", "ruby", "--disable-gems", "-e", program, input, output, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
}

static char *
read_all(const char *path, size_t size_maximum)
{
    char *bytes = calloc(1, size_maximum);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    CHECK(bytes && descriptor >= 0);
    CHECK(read(descriptor, bytes, size_maximum - 1) > 0);
    close(descriptor);
    return bytes;
}

TEST("expanding gives what File.expand_path gives, for ten thousand names")
{
    enum { COUNT = 10000, SIZE_MAXIMUM = COUNT * 100 };
    char path[100], base[100], *input = calloc(1, SIZE_MAXIMUM), *end = input;
    uint64_t state = 42;

    CHECK(input);
    for (int index = 0; index < COUNT; index++) {
        make_path(path, &state, false);
        make_path(base, &state, true);
        end += sprintf(end, "%s|%s|", path, base);
    }
    test_write("in", input, (size_t)(end - input));
    run_ruby(ruby_expand, test_path("in"), test_path("out"));

    char *output = read_all(test_path("out"), SIZE_MAXIMUM), *expected = output;
    state = 42;
    for (int index = 0; index < COUNT; index++) {
        char *bar = strchr(expected, '|');
        CHECK(bar);
        *bar = '\0';
        make_path(path, &state, false);
        make_path(base, &state, true);
        const char *actual = expand(path, base);
        if (strcmp(actual, expected) != 0) {
            test_fail(__FILE__, __LINE__, "\"%s\" from \"%s\" is \"%s\", should be \"%s\"", path, base, actual,
                      expected);
        }
        expected = bar + 1;
    }
    free(output);
    free(input);
}

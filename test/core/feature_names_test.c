/* The set of autoload's names. */
#include "test.h"

#include "core/index/feature_names.h"

static ws_feature_names *names;

static void
add(const char *name)
{
    CHECK(ws_feature_names_add(names, name, strlen(name)));
}
static bool
means(const char *path)
{
    return ws_feature_names_may_mean(names, path, strlen(path));
}

TEST("a relative name means every file that ends with it")
{
    names = ws_feature_names_new();
    add("a/b");
    CHECK(means("/x/a/b.rb"));
    CHECK(means("/a/b.rb"));
    CHECK(!means("/x/ca/b.rb"));
    CHECK(!means("/x/b.rb"));
    CHECK(!means("/x/a/b/c.rb"));
    ws_feature_names_free(names);
}

TEST("an absolute name means one file")
{
    names = ws_feature_names_new();
    add("/x/a.rb");
    CHECK(means("/x/a.rb"));
    CHECK(!means("/y/x/a.rb"));
    add("/x/b");
    CHECK(means("/x/b.rb"));
    ws_feature_names_free(names);
}

TEST("a name with a detour means every file of its base name")
{
    names = ws_feature_names_new();
    add("./a");
    add("x/../b");
    add("x//c");
    add("/x//e");
    add("/x/y/../f.rb");
    CHECK(means("/anywhere/a.rb"));
    CHECK(means("/anywhere/b.rb"));
    CHECK(means("/anywhere/c.rb"));
    CHECK(means("/x/e.rb"));
    CHECK(means("/x/f.rb"));
    CHECK(!means("/anywhere/d.rb"));
    ws_feature_names_free(names);
}

TEST("nothing is meant by nothing")
{
    names = ws_feature_names_new();
    CHECK(!means("/a.rb"));
    add("");
    CHECK(!means("/a.rb"));
    CHECK(!means("/.rb"));
    ws_feature_names_free(names);
}

TEST("ten thousand names are found and their neighbours are not")
{
    char name[64];
    names = ws_feature_names_new();
    for (int i = 0; i < 10000; i += 2) {
        snprintf(name, sizeof name, "/application/models/model_%d.rb", i);
        add(name);
        add(name);
    }
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "/application/models/model_%d.rb", i);
        CHECK(means(name) == (i % 2 == 0));
    }
    ws_feature_names_free(names);
}

TEST("one name and one path")
{
    CHECK(ws_feature_name_may_mean("b.rb", 4, "/a/b.rb", 7));
    CHECK(ws_feature_name_may_mean("b", 1, "/a/b.rb", 7));
    CHECK(!ws_feature_name_may_mean("c", 1, "/a/b.rb", 7));
}

TEST("an absolute name means its path, also with a drive in front")
{
    const char *path = "C:/ruby/lib/rubygems/path_support.rb";

    CHECK(ws_feature_name_may_mean(path, strlen(path), path, strlen(path)));
    CHECK(ws_feature_name_may_mean("C:/ruby/lib/rubygems/path_support", 33, path, strlen(path)));
    CHECK(!ws_feature_name_may_mean("D:/ruby/lib/rubygems/path_support", 33, path, strlen(path)));
}

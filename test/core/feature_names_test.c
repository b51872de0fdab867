/* The set of autoload's names. */
#include "test.h"

#include "core/index/feature_names.h"

static ws_feature_names names;

static void
forget(void)
{
    ws_string_pool_free(&names.names);
    ws_table_free(&names.by_base);
    memset(&names, 0, sizeof names);
}

static void
add(const char *name)
{
    CHECK(ws_feature_names_add(&names, name, strlen(name)));
}
static bool
means(const char *path)
{
    return ws_feature_names_may_mean(&names, path, strlen(path));
}

TEST("a relative name means every file that ends with it")
{
    add("a/b");
    CHECK(means("/x/a/b.rb"));
    CHECK(means("/a/b.rb"));
    CHECK(!means("/x/ca/b.rb"));
    CHECK(!means("/x/b.rb"));
    CHECK(!means("/x/a/b/c.rb"));
    forget();
}

TEST("an absolute name means one file")
{
    add("/x/a.rb");
    CHECK(means("/x/a.rb"));
    CHECK(!means("/y/x/a.rb"));
    add("/x/b");
    CHECK(means("/x/b.rb"));
    forget();
}

TEST("a name with a detour means every file of its base name")
{
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
    forget();
}

TEST("nothing is meant by nothing")
{
    CHECK(!means("/a.rb"));
    add("");
    CHECK(!means("/a.rb"));
    CHECK(!means("/.rb"));
    forget();
}

TEST("ten thousand names are found and their neighbours are not")
{
    char name[64];
    for (int i = 0; i < 10000; i += 2) {
        snprintf(name, sizeof name, "/application/models/model_%d.rb", i);
        add(name);
        add(name);
    }
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "/application/models/model_%d.rb", i);
        CHECK(means(name) == (i % 2 == 0));
    }
    forget();
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

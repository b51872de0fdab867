/* What the harness (test.h) needs of the system, on POSIX systems. */
#ifndef WARMSTART_TEST_POSIX_H
#define WARMSTART_TEST_POSIX_H

#include <ftw.h>

static int
test_make_directory(const char *path)
{
    return mkdir(path, 0755);
}

/* How many descriptors are open: a test that compares before and after finds the ones that leak. */
TEST_UNUSED static int
test_descriptor_count(void)
{
    int count = 0;

    for (int descriptor = 0; descriptor < 1024; descriptor++) count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

static bool
test_make_unique(char *path, size_t size)
{
    const char *parent = getenv("TMPDIR");

    snprintf(path, size, "%s/warmstart-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(path) != NULL;
}

static int
test_remove_entry(const char *path, const struct stat *stat, int type, struct FTW *where)
{
    (void)stat, (void)type, (void)where;
    return remove(path);
}

static int
test_unlock_entry(const char *path, const struct stat *stat, int type, struct FTW *where)
{
    (void)stat, (void)where;
    if (type == FTW_D || type == FTW_DNR) chmod(path, 0700);
    return 0;
}

static void
test_remove_tree(const char *path)
{
    nftw(path, test_unlock_entry, 16, FTW_PHYS);
    nftw(path, test_remove_entry, 16, FTW_PHYS | FTW_DEPTH);
}

static void (*test_folder_callback)(const char *path);

static int
test_call_for_folder(const char *path, const struct stat *stat, int type, struct FTW *where)
{
    (void)stat, (void)where;
    if (type == FTW_D) test_folder_callback(path);
    return 0;
}

/* Calls for a folder and all below. */
TEST_UNUSED static void
test_each_folder(const char *path, void (*callback)(const char *path))
{
    test_folder_callback = callback;
    nftw(path, test_call_for_folder, 16, FTW_PHYS);
}

#endif

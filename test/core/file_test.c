/* Files and trust: see core/system/file.h. Run also as an unprivileged user, who meets permissions that root does not.
 */
#include "test.h"

#ifdef __linux__
#include <sched.h>
#endif
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "core/file_system/file_system.h"

/* The same code without statx, as it is built where that does not exist. */
int plain_stat_at(int directory, const char *name, bool follow, ws_stat *stat);
int plain_stat(const char *path, ws_stat *stat);
int plain_stat_named(const char *path, ws_stat *stat);
int plain_stat_descriptor(int descriptor, ws_stat *stat);
ws_code plain_hash(const char *path, ws_hash128 *hash, ws_stat *stat, ws_error *error);
ws_code plain_trust_check(const ws_stat *stat, const ws_trust *trust);
void plain_trust_group_of(ws_trust *trust, const char *file);
int plain_trust_open_directory(const char *path, const ws_trust *trust, ws_stat *stat, ws_error *error);
int plain_trust_open_file(int directory, const char *directory_path, const char *name, const ws_trust *trust,
                          ws_stat *stat, ws_error *error);
int plain_write_all(int descriptor, const void *bytes, size_t size);
extern uint64_t plain_stat_calls;
void plain_count(uint64_t calls);
uint64_t plain_random_id(void);
bool plain_stat_is_same(const ws_stat *stat, const ws_stat *other);
bool plain_stat_is_young(const ws_stat *stat, int64_t moment, bool portable);
bool plain_stat_is_at(const ws_stat *stat, uint64_t device, uint64_t inode);
ws_code plain_hash_looking(const char *path, ws_hash128 *hash, ws_stat *stat, ws_content_callback look, void *data,
                           ws_error *error);
int plain_stat_fields(int directory, const char *name, bool follow, uint32_t fields, ws_stat *stat);
int plain_stat_named_at(int directory, const char *name, ws_stat *stat);

#define WS_FILE_WITHOUT_STATX
#define ws_file_stat_at plain_stat_at
#define ws_file_stat plain_stat
#define ws_file_stat_named plain_stat_named
#define ws_file_stat_descriptor plain_stat_descriptor
#define ws_file_hash plain_hash
#define ws_file_hash_looking plain_hash_looking
#define ws_trust_check plain_trust_check
#define ws_trust_group_of plain_trust_group_of
#define ws_trust_open_directory plain_trust_open_directory
#define ws_trust_open_file plain_trust_open_file
#define ws_file_write_all plain_write_all
#define ws_stat_calls plain_stat_calls
#define ws_stat_count plain_count
#define ws_random_id plain_random_id
#define ws_stat_is_same plain_stat_is_same
#define ws_stat_is_young plain_stat_is_young
#define ws_stat_is_at plain_stat_is_at
#define ws_file_stat_fields plain_stat_fields
#define ws_file_stat_named_at plain_stat_named_at
#include "../../ext/warmstart/core/system/file_stat.c"
#include "../../ext/warmstart/core/system/file.c"
#undef ws_file_stat_at
#undef ws_file_stat
#undef ws_file_stat_named
#undef ws_file_stat_descriptor
#undef ws_file_hash
#undef ws_file_hash_looking
#undef ws_trust_check
#undef ws_trust_group_of
#undef ws_trust_open_directory
#undef ws_trust_open_file
#undef ws_file_write_all
#undef ws_stat_calls
#undef ws_stat_count
#undef ws_random_id
#undef ws_stat_is_same
#undef ws_stat_is_young
#undef ws_stat_is_at
#undef ws_file_stat_fields
#undef ws_file_stat_named_at

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

static ws_trust
own_trust(void)
{
    return (ws_trust){ .user = (uint32_t)geteuid(), .application_owner = (uint32_t)geteuid() };
}

static void
check_same_stat(const ws_stat *a, const ws_stat *b)
{
    CHECK(a->device == b->device && a->inode == b->inode && a->size == b->size);
    CHECK(a->mtime == b->mtime && a->ctime == b->ctime);
    CHECK(a->mode == b->mode && a->owner == b->owner && a->type == b->type);
}

/* Opens test folder/name as a trusted file and closes it again. */
static ws_code
open_file(const char *name, const ws_trust *trust)
{
    ws_error error = { .code = WS_OK };
    int directory = open(test_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int descriptor = ws_trust_open_file(directory, test_folder(), name, trust, NULL, &error);

    close(directory);
    if (descriptor >= 0) close(descriptor);
    return error.code;
}

static ws_code
open_directory(const char *path, const ws_trust *trust)
{
    ws_error error = { .code = WS_OK };
    int descriptor = ws_trust_open_directory(path, trust, NULL, &error);

    if (descriptor >= 0) close(descriptor);
    return error.code;
}

TEST("metadata are those of stat, in nanoseconds, with statx and without")
{
    static const char *const paths[] = { "/", "/etc/passwd", "/dev/null", "/proc/self/exe" };
    struct stat expected;
    ws_stat stat, plain;

    for (size_t index = 0; index < sizeof(paths) / sizeof(paths[0]); index++) {
        CHECK_EQUAL(lstat(paths[index], &expected), 0);
        if (S_ISLNK(expected.st_mode)) continue;
        CHECK_EQUAL(ws_file_stat(paths[index], &stat), 0);
        CHECK_EQUAL(plain_stat(paths[index], &plain), 0);
        check_same_stat(&stat, &plain);
        CHECK_EQUAL(stat.device, expected.st_dev);
        CHECK_EQUAL(stat.inode, expected.st_ino);
        CHECK_EQUAL(stat.mtime, expected.st_mtim.tv_sec * 1000000000LL + expected.st_mtim.tv_nsec);
        CHECK_EQUAL(stat.ctime, expected.st_ctim.tv_sec * 1000000000LL + expected.st_ctim.tv_nsec);
        CHECK_EQUAL(stat.mode, expected.st_mode);
        CHECK_EQUAL(stat.owner, expected.st_uid);
    }
}

TEST("a link is followed or not, as asked")
{
    ws_stat stat;

    test_write("file", "12345", 5);
    CHECK_EQUAL(symlink("file", test_path("link")), 0);
    int directory = open(test_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK_EQUAL(ws_file_stat_at(directory, "link", true, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_REGULAR);
    CHECK_EQUAL(stat.size, 5);
    CHECK_EQUAL(ws_file_stat_at(directory, "link", false, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_SYMLINK);
    CHECK_EQUAL(plain_stat_at(directory, "link", false, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_SYMLINK);
    CHECK_EQUAL(ws_file_stat_descriptor(directory, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    CHECK_EQUAL(plain_stat_descriptor(directory, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    close(directory);
    CHECK_EQUAL(ws_file_stat("/dev/null", &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_OTHER);
}

TEST("metadata that cannot be had give errno")
{
    ws_stat stat;

    CHECK_EQUAL(ws_file_stat(test_path("nothing"), &stat), ENOENT);
    CHECK_EQUAL(plain_stat(test_path("nothing"), &stat), ENOENT);
    CHECK_EQUAL(ws_file_stat("/etc/passwd/x", &stat), ENOTDIR);
    CHECK_EQUAL(ws_file_stat_descriptor(-1, &stat), EBADF);
}

TEST("each call for metadata is counted")
{
    uint64_t before = ws_stat_calls;
    ws_stat stat;

    ws_file_stat("/", &stat);
    ws_file_stat("/nothing", &stat);
    CHECK_EQUAL(ws_stat_calls - before, 2);
}

/* In a child: the exit status says what was wrong, 0 nothing. */
static int
write_beyond_the_limit(int descriptor)
{
    static char bytes[8192];
    ws_piece pieces[2] = { { bytes, 100 }, { bytes, sizeof bytes - 100 } };
    sigset_t mask;

    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
    if (ws_file_write_all(descriptor, bytes, sizeof bytes) != EFBIG) return 1;
    if (ws_file_write_pieces(descriptor, pieces, 2) != EFBIG) return 2;
    if (sigpending(&mask) != 0 || sigismember(&mask, SIGXFSZ)) return 3;
    if (pthread_sigmask(SIG_SETMASK, NULL, &mask) != 0 || sigismember(&mask, SIGXFSZ)) return 4;
    if (lseek(descriptor, 0, SEEK_END) != 4096) return 5;
    if (write(descriptor, bytes, 1) == 1) return 6; /* ... by which the program itself is killed */
    return 7;
}

TEST("beyond the limit of a file's size a write of ours fails, and one of the program's is killed as ever")
{
    char name[] = "/tmp/warmstart-limit-XXXXXX";
    int descriptor = mkstemp(name), status = 0;
    CHECK(descriptor >= 0);
    unlink(name);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        _exit(write_beyond_the_limit(descriptor));
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQUAL(WTERMSIG(status), SIGXFSZ);
    close(descriptor);
}

TEST("a file's hash is that of its bytes, whatever their number")
{
    static uint8_t bytes[40000];
    static const size_t sizes[] = { 0, 1, 100, 16383, 16384, 16385, 40000 };
    ws_error error;

    for (size_t index = 0; index < sizeof(bytes); index++) bytes[index] = (uint8_t)(index * 13);
    for (size_t index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        ws_hash128 hash, expected = ws_hash128_bytes(bytes, sizes[index]);
        ws_stat stat;
        test_write("file", bytes, sizes[index]);
        CHECK_EQUAL(ws_file_hash(test_path("file"), &hash, &stat, &error), WS_OK);
        CHECK(hash.low == expected.low && hash.high == expected.high);
        CHECK_EQUAL(stat.size, sizes[index]);
    }
}

TEST("only regular files have a hash, and refusing leaves no descriptor open")
{
    int before = test_descriptor_count();
    ws_hash128 hash;
    ws_error error;

    CHECK_EQUAL(mkfifo(test_path("fifo"), 0600), 0);
    CHECK_EQUAL(ws_file_hash(test_path("fifo"), &hash, NULL, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(ws_file_hash(test_folder(), &hash, NULL, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(ws_file_hash("/dev/zero", &hash, NULL, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(ws_file_hash(test_path("nothing"), &hash, NULL, &error), WS_MISSING);
    CHECK_EQUAL(error.error_number, ENOENT);
    CHECK_STRING(error.operation, "open");
    CHECK_STRING(error.path, test_path("nothing"));
    CHECK_EQUAL(ws_file_hash("/etc/passwd/x", &hash, NULL, &error), WS_MISSING);
    CHECK_EQUAL(test_descriptor_count(), before);
}

TEST("a file that is longer than it says has changed")
{
    ws_hash128 hash;
    ws_error error;

    if (access("/proc/self/status", R_OK) != 0) SKIP("no /proc here");
    CHECK_EQUAL(ws_file_hash("/proc/self/status", &hash, NULL, &error), WS_CHANGED);
}

TEST("a file that may not be read has no hash")
{
    ws_hash128 hash;
    ws_error error;

    if (geteuid() == 0) SKIP("root may read everything");
    test_write("file", "1", 1);
    CHECK_EQUAL(chmod(test_path("file"), 0), 0);
    CHECK_EQUAL(ws_file_hash(test_path("file"), &hash, NULL, &error), WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EACCES);
}

TEST("trusted owners are the user, root and the application's owner")
{
    ws_trust trust = { .user = 1000, .application_owner = 2000 };
    ws_stat stat = { .mode = S_IFREG | 0644 };

    stat.owner = 1000;
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_OK);
    stat.owner = 2000;
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_OK);
    stat.owner = 0;
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_OK);
    stat.owner = 3000;
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_FOREIGN_OWNER);
}

TEST("nothing that group or others may write is trusted, sticky or not")
{
    ws_trust trust = { .user = 1000, .application_owner = 1000 };

    for (uint32_t mode = 0; mode < 010000; mode++) {
        ws_stat stat = { .owner = 1000, .mode = S_IFDIR | mode };
        CHECK_EQUAL(ws_trust_check(&stat, &trust), mode & 0022 ? WS_WRITABLE : WS_OK);
    }
}

static bool
group_of_file(mode_t mode, ws_trust *trust)
{
    *trust = own_trust();
    CHECK_EQUAL(chmod(test_path("main.rb"), mode), 0);
    ws_trust_group_of(trust, test_path("main.rb"));
    return trust->has_group;
}

TEST("a group counts that may write to the file that runs")
{
    ws_trust trust;

    test_write("main.rb", "1", 1);
    CHECK(!group_of_file(0644, &trust));
    CHECK(!group_of_file(0666, &trust));
#ifdef __linux__
    CHECK(group_of_file(0664, &trust));
    CHECK_EQUAL(trust.group, getegid());
    CHECK(group_of_file(0775, &trust));
#endif
    trust = own_trust();
    ws_trust_group_of(&trust, test_path("."));
    CHECK(!trust.has_group);
    ws_trust_group_of(&trust, test_path("nowhere"));
    CHECK(!trust.has_group);
}

TEST("what a group may write is trusted if its members can replace the application's files anyway")
{
    ws_trust trust = { .user = 1000, .application_owner = 1000, .has_group = true, .group = 7 };

    for (uint32_t mode = 0; mode < 010000; mode++) {
        ws_stat stat = { .owner = 1000, .group = 7, .mode = S_IFDIR | mode };
        CHECK_EQUAL(ws_trust_check(&stat, &trust), mode & 0002 ? WS_WRITABLE : WS_OK);
        stat.group = 0;
        CHECK_EQUAL(ws_trust_check(&stat, &trust), mode & 0022 ? WS_WRITABLE : WS_OK);
    }
    trust = (ws_trust){ .user = 1000, .application_owner = 1000 };
    ws_stat stat = { .owner = 1000, .group = 0, .mode = S_IFDIR | 0775 };
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_WRITABLE); /* (group 0 is one that has to be named, too) */
}

#ifdef __linux__
/* Runs `look` in a child that lies in a user namespace of its own, in which only the uids of `map` have a name ("" for
 * none). The child's status is its answer. */
static int
in_namespace(const char *map, int (*look)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        if (unshare(CLONE_NEWUSER) != 0) _exit(77);
        if (map[0] != '\0') {
            int descriptor = open("/proc/self/uid_map", O_WRONLY);
            if (descriptor < 0 || write(descriptor, map, strlen(map)) != (ssize_t)strlen(map)) _exit(77);
            close(descriptor);
        }
        _exit(look());
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) test_skip("user namespaces are not to be had here");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether our own file, root's and another user's would be executed: three bits. Those that can be opened, and no
 * others, have to count as readable. */
static int
look_at_owners(void)
{
    ws_trust trust = { .user = ws_file_user(), .application_owner = 65534 };
    const char *const paths[] = { test_path("mine"), "/usr/bin/env", test_path("other") };
    int answer = 0;

    for (int i = 0; i < 3; i++) {
        ws_stat stat;
        if (ws_file_stat_at(AT_FDCWD, paths[i], true, &stat) != 0) return 99;
        if (ws_trust_check(&stat, &trust) == WS_OK) answer |= 1 << i;
        int descriptor = open(paths[i], O_RDONLY | O_CLOEXEC);
        if (ws_file_is_readable(paths[i], &stat) != (descriptor >= 0)) return 98;
        if (descriptor >= 0) close(descriptor);
    }
    return answer;
}

static void
make_owned_files(void)
{
    test_write("mine", "1", 1);
    test_write("other", "1", 1);
    CHECK_EQUAL(chmod(test_path("mine"), 0600), 0);
    CHECK_EQUAL(chmod(test_path("other"), 0600), 0);
    if (geteuid() == 0) CHECK_EQUAL(chown(test_path("other"), 12345, 12345), 0);
}

TEST("owners that a user namespace cannot name are nobody's equal")
{
    make_owned_files();
    CHECK_EQUAL(in_namespace("", look_at_owners), 0);
}

TEST("root of a user namespace trusts the files of whoever made it, and of nobody else")
{
    char map[64];

    make_owned_files();
    snprintf(map, sizeof map, "0 %u 1", (unsigned)geteuid());
    /* (As root outside, "mine" and root's are one's own; as somebody else, "other" is mine, too.) */
    CHECK_EQUAL(in_namespace(map, look_at_owners), geteuid() == 0 ? 3 : 1 | 4);
}

TEST("root of a user namespace may not read a file whose group has no name there")
{
    if (geteuid() != 0) SKIP("only root can give files away");
    make_owned_files();
    CHECK_EQUAL(chown(test_path("mine"), 0, 12345), 0);
    CHECK_EQUAL(chmod(test_path("mine"), 0200), 0);
    CHECK_EQUAL(in_namespace("0 0 1", look_at_owners), 3);
}

TEST("a namespace that names the overflow uid cannot tell it from the nameless ones")
{
    char map[64];

    make_owned_files();
    snprintf(map, sizeof map, "65534 %u 1", (unsigned)geteuid());
    CHECK_EQUAL(in_namespace(map, look_at_owners), 0);
}

TEST("where every uid has a name the overflow uid is a user as others")
{
    char text[64] = "";
    ws_stat stat = { .owner = 65534, .mode = S_IFREG | 0600 };
    ws_trust trust = { .user = 65534, .application_owner = 65534 };
    unsigned first, outside, count;

    FILE *file = fopen("/proc/self/uid_map", "r");
    if (file == NULL || fgets(text, sizeof text, file) == NULL) SKIP("no map of uids");
    fclose(file);
    if (sscanf(text, "%u %u %u", &first, &outside, &count) != 3 || count != UINT32_MAX)
        SKIP("this is a user namespace itself");
    CHECK_EQUAL(ws_trust_check(&stat, &trust), WS_OK);
}
#endif

TEST("our own folder opens, and closes itself on exec")
{
    ws_trust trust = own_trust();
    ws_error error;
    ws_stat stat;
    int descriptor = ws_trust_open_directory(test_folder(), &trust, &stat, &error);

    CHECK(descriptor >= 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    CHECK_EQUAL(stat.owner, geteuid());
    CHECK(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    close(descriptor);
}

TEST("a folder is refused with its reason, and no descriptor stays open")
{
    ws_trust trust = own_trust();
    int before = test_descriptor_count();

    test_write("file", "", 0);
    test_mkdir("folder");
    CHECK_EQUAL(symlink("folder", test_path("link")), 0);
    CHECK_EQUAL(open_directory(test_path("nothing"), &trust), WS_MISSING);
    CHECK_EQUAL(open_directory(test_path("file"), &trust), WS_NOT_REGULAR);
    CHECK_EQUAL(open_directory(test_path("link"), &trust), WS_NOT_REGULAR);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_OK);
    CHECK_EQUAL(chmod(test_path("folder"), 01777), 0);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_WRITABLE);
    CHECK_EQUAL(chmod(test_path("folder"), 0770), 0);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_WRITABLE);
    CHECK_EQUAL(chmod(test_path("folder"), 0755), 0);
    CHECK_EQUAL(open_directory("/usr", &trust), WS_OK);
    CHECK_EQUAL(test_descriptor_count(), before);
}

TEST("another user's folder and file are refused")
{
    ws_trust trust = own_trust();

    test_write("file", "", 0);
    test_mkdir("folder");
    if (geteuid() == 0) {
        CHECK_EQUAL(chown(test_path("file"), 12345, 12345), 0);
        CHECK_EQUAL(chown(test_path("folder"), 12345, 12345), 0);
    }
    else {
        trust.user = trust.application_owner = (uint32_t)geteuid() + 1;
    }
    CHECK_EQUAL(open_file("file", &trust), WS_FOREIGN_OWNER);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_FOREIGN_OWNER);
    trust.application_owner = geteuid() == 0 ? 12345 : (uint32_t)geteuid();
    CHECK_EQUAL(open_file("file", &trust), WS_OK);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_OK);
}

TEST("a folder that may not be read is a system error")
{
    ws_trust trust = own_trust();

    if (geteuid() == 0) SKIP("root may read everything");
    test_mkdir("folder");
    CHECK_EQUAL(chmod(test_path("folder"), 0300), 0);
    CHECK_EQUAL(open_directory(test_path("folder"), &trust), WS_SYSTEM);
}

TEST("a file is refused with its reason, and no descriptor stays open")
{
    ws_trust trust = own_trust();
    int before = test_descriptor_count();

    test_write("file", "", 0);
    test_mkdir("folder");
    test_write("folder/inner", "", 0);
    CHECK_EQUAL(symlink("file", test_path("link")), 0);
    CHECK_EQUAL(mkfifo(test_path("fifo"), 0600), 0);
    CHECK_EQUAL(open_file("file", &trust), WS_OK);
    CHECK_EQUAL(open_file("nothing", &trust), WS_MISSING);
    CHECK_EQUAL(open_file("link", &trust), WS_NOT_REGULAR);
    CHECK_EQUAL(open_file("fifo", &trust), WS_NOT_REGULAR);
    CHECK_EQUAL(open_file("folder", &trust), WS_NOT_REGULAR);
    CHECK_EQUAL(chmod(test_path("file"), 0664), 0);
    CHECK_EQUAL(open_file("file", &trust), WS_WRITABLE);
    CHECK_EQUAL(chmod(test_path("file"), 0646), 0);
    CHECK_EQUAL(open_file("file", &trust), WS_WRITABLE);
    CHECK_EQUAL(test_descriptor_count(), before);
}

TEST("a socket is not a regular file")
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    ws_trust trust = own_trust();
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%.60s/socket", test_folder());
    CHECK_EQUAL(bind(descriptor, (struct sockaddr *)&address, sizeof(address)), 0);
    close(descriptor);
    CHECK_EQUAL(open_file("socket", &trust), WS_NOT_REGULAR);
}

TEST("a name cannot lead out of its folder")
{
    static const char *const names[] = { "", ".", "..", "../etc/passwd", "/etc/passwd", "folder/inner", "folder/" };
    ws_trust trust = own_trust();

    test_mkdir("folder");
    test_write("folder/inner", "", 0);
    for (size_t index = 0; index < sizeof(names) / sizeof(names[0]); index++)
        CHECK_EQUAL(open_file(names[index], &trust), WS_NOT_REGULAR);
}

TEST("a refusal names the whole path, or what fits of it")
{
    ws_trust trust = own_trust();
    ws_error error;
    char name[256], longest[1000];

    CHECK_EQUAL(ws_trust_open_file(AT_FDCWD, "/some/folder", "nothing", &trust, NULL, &error), -1);
    CHECK_STRING(error.path, "/some/folder/nothing");
    memset(name, 'n', sizeof(name));
    name[255] = '\0';
    memset(longest, 'd', sizeof(longest));
    longest[999] = '\0';
    CHECK_EQUAL(ws_trust_open_file(AT_FDCWD, longest, name, &trust, NULL, &error), -1);
    CHECK_STRING(error.path, name);
    CHECK_EQUAL(ws_trust_open_file(AT_FDCWD, "/some", longest, &trust, NULL, NULL), -1);
}

TEST("this folder is local, and what cannot be asked is not")
{
    int descriptor = open(test_folder(), O_RDONLY | O_CLOEXEC);

    CHECK(!ws_file_is_remote(descriptor));
    close(descriptor);
    CHECK(ws_file_is_remote(-1));
}

/* A pipe takes less than is written, so writing comes in parts; the child reads slowly. */
TEST("all bytes are written, in parts where they must be")
{
    enum { SIZE = 300000 };
    static uint8_t bytes[SIZE], received[SIZE];
    int ends[2], status = -1;

    for (size_t index = 0; index < SIZE; index++) bytes[index] = (uint8_t)(index * 7 >> 3);
    CHECK_EQUAL(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        size_t done = 0;
        ssize_t count;
        while ((count = read(ends[0], received + done, SIZE - done)) > 0) done += (size_t)count;
        _exit(done == SIZE && memcmp(bytes, received, SIZE) == 0 ? 0 : 1);
    }
    close(ends[0]);
    CHECK_EQUAL(ws_file_write_all(ends[1], bytes, SIZE), 0);
    close(ends[1]);
    waitpid(child, &status, 0);
    CHECK_EQUAL(status, 0);
}

TEST("writing that fails gives errno")
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    CHECK_EQUAL(ws_file_write_all(-1, "x", 1), EBADF);
    CHECK_EQUAL(ws_file_write_all(-1, "x", 0), 0);
    if (full < 0) SKIP("no /dev/full here");
    CHECK_EQUAL(ws_file_write_all(full, "x", 1), ENOSPC);
    close(full);
}

/* Tells the folders of installed gems by the folder of specifications that lies beside them. */
#include "ruby/load_path/gem_folders.h"

#include <string.h>

#include "core/system/file.h"
#include "ruby/boot/boot.h"

/* Does this folder contain a folder `specifications`? Then it is a GEM_HOME. The last answer is remembered, because
 * neighbours ask the same. */
static bool
is_gem_home(const char *path, size_t size)
{
    static struct {
        char home[WS_PATH_MAXIMUM];
        bool answer;
    } last;
    if (size + 16 >= sizeof last.home) return false;
    if (strlen(last.home) == size && memcmp(last.home, path, size) == 0) return last.answer;

    char specifications[WS_PATH_MAXIMUM];
    memcpy(specifications, path, size);
    memcpy(specifications + size, "/specifications", 16);
    ws_stat stat;
    memcpy(last.home, path, size);
    last.home[size] = 0;
    return last.answer = ws_file_stat(specifications, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY;
}

/* A gem lies in GEM_HOME/gems/name-version, GEM_HOME/bundler/gems/name-revision or
 * GEM_HOME/extensions/platform/abi/name-version. */
bool
ws_is_under_gems(const char *path)
{
    static const char *const folders[] = { "/gems/", "/bundler/gems/", "/extensions/" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *found = path;
        while ((found = strstr(found, folders[i])) != NULL) {
            if (is_gem_home(path, (size_t)(found - path))) return true;
            found++;
        }
    }
    return false;
}

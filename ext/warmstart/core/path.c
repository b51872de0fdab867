/* Which path rules are this platform's. Who calls: the bindings, once, when the extension is loaded; everything else is
 * given the rules, so that tests can try either flavour on any platform. */
#include "path.h"

#ifdef _WIN32
extern const ws_path_rules ws_path_rules_windows;
#endif

const ws_path_rules *ws_path_rules_native(void)
{
#ifdef _WIN32
    return &ws_path_rules_windows;
#else
    return &ws_path_rules_posix;
#endif
}

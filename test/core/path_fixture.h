/* What the tests of both path rules ask. `rules`: those under test, which the including file defines before. */
static bool
is_feature(const char *feature)
{
    ws_feature_name name;

    return rules->feature_name(feature, strlen(feature), "so", &name);
}

static bool
is_canonical(const char *path)
{
    return rules->is_canonical(path, strlen(path));
}

static const char *
expand(const char *path, const char *base)
{
    static char buffer[2000];
    size_t size = rules->expand(buffer, sizeof(buffer), path, strlen(path), base, strlen(base));

    return size > 0 && strlen(buffer) == size ? buffer : "(nothing)";
}

static const char *
join(const char *directory, const char *name)
{
    static char buffer[200];
    size_t size = rules->join(buffer, sizeof(buffer), directory, strlen(directory), name, strlen(name));

    return strlen(buffer) == size ? buffer : "(wrong size)";
}

static bool
is_within(const char *path, const char *directory)
{
    return rules->is_within(path, strlen(path), directory, strlen(directory));
}

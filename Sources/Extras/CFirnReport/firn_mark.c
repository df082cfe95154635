#include "firn_mark.h"

#include <sys/xattr.h>

int firn_mark_set(const char *path, const char *name, const void *value, size_t length) {
    return setxattr(path, name, value, length, 0);
}

ssize_t firn_mark_get(const char *path, const char *name, void *value, size_t capacity) {
    return getxattr(path, name, value, capacity);
}

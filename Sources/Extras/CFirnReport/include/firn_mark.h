// Extended attributes, which Swift's module of the C library leaves out.
#ifndef FIRN_MARK_H
#define FIRN_MARK_H

#include <stddef.h>
#include <sys/types.h>

// Sets an extended attribute of the file at `path`; returns 0, or -1 where the file system has none.
int firn_mark_set(const char *path, const char *name, const void *value, size_t length);

// Reads an extended attribute of the file at `path` into `value`; returns its length, or -1 if there is none or it is
// longer.
ssize_t firn_mark_get(const char *path, const char *name, void *value, size_t capacity);

#endif

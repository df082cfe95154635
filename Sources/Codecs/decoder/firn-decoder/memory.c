// Replaces the C library's malloc, on top of its own functions.
//
// Blocks are zeroed when allocated, so pixels that a library never wrote are black instead of old heap content: the
// same in every run, and nothing of another image. A failed allocation ends the decode, because libraries continue
// without the part that lacked memory, and return a wrong image.
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static bool clears;
static void (*refusal)(size_t bytes);

void memory_set_clearing(bool value) { clears = value; }

void memory_set_refusal(void (*refused)(size_t bytes)) { refusal = refused; }

uint64_t memory_mapped(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    unsigned long pages = 0;
    int found = fscanf(file, "%lu", &pages);
    fclose(file);
    return found == 1 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void *checked(void *block, size_t size) {
    if (!block && refusal) refusal(size);
    return block;
}

/// Blocks up to this size come from the thread's cache, which `calloc` does not use.
enum { SMALL = 1024 };

void *malloc(size_t size) {
    if (size > SMALL) return checked(__libc_calloc(1, size), size);
    void *block = checked(__libc_malloc(size), size);
    if (block) memset(block, 0, malloc_usable_size(block));
    return block;
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(bytes);
}

void free(void *block) {
    if (!block) return;
    if (clears) memset(block, 0, malloc_usable_size(block));
    __libc_free(block);
}

void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t before = malloc_usable_size(block);
    if (clears) {
        void *copy = malloc(size);
        if (!copy) return NULL;
        memcpy(copy, block, before < size ? before : size);
        free(block);
        return copy;
    }
    void *moved = checked(__libc_realloc(block, size), size);
    if (!moved) return NULL;
    size_t after = malloc_usable_size(moved);
    if (after > before) memset((char *)moved + before, 0, after - before);
    return moved;
}

void *memalign(size_t alignment, size_t size) {
    void *block = checked(__libc_memalign(alignment, size), size);
    if (block) memset(block, 0, malloc_usable_size(block));
    return block;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void *valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }

void *pvalloc(size_t size) { return valloc(size); }

#include "shared_area.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void shared_area_unmap(shared_area *area) {
    if (area->base) munmap(area->base, area->length);
    area->base = NULL;
    area->length = 0;
}

bool shared_area_map(shared_area *area, int descriptor, uint64_t length, int protection) {
    shared_area_unmap(area);
    if (descriptor < 0) return false;
    void *base = MAP_FAILED;
    if (length > 0 && length <= SIZE_MAX / 2) base = mmap(NULL, (size_t)length, protection, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (base == MAP_FAILED) return false;
    area->base = base;
    area->length = (size_t)length;
    return true;
}

size_t shared_area_read(void *context, uint64_t offset, uint8_t *target, size_t count) {
    const shared_area *area = context;
    if (offset >= area->length) return 0;
    size_t left = area->length - (size_t)offset, taken = count < left ? count : left;
    memcpy(target, area->base + offset, taken);
    return taken;
}

void shared_file_close(shared_file *file) {
    if (file->descriptor >= 0) close(file->descriptor);
    *file = (shared_file){-1, 0};
}

size_t shared_file_read(void *context, uint64_t offset, uint8_t *target, size_t count) {
    const shared_file *file = context;
    if (offset >= file->length) return 0;
    if (count > file->length - offset) count = (size_t)(file->length - offset);
    size_t taken = 0;
    while (taken < count) {
        ssize_t got = pread(file->descriptor, target + taken, count - taken, (off_t)(offset + taken));
        if (got == 0 || (got < 0 && errno != EINTR)) break;
        if (got > 0) taken += (size_t)got;
    }
    return taken;
}

bool shared_file_copy(shared_file *file, shared_area *area) {
    shared_area_unmap(area);
    void *base = MAP_FAILED;
    const size_t length = file->length <= SIZE_MAX / 2 ? (size_t)file->length : 0;
    if (length > 0) base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base != MAP_FAILED) {
        *area = (shared_area){base, length};
        // A decoder without any bytes would wait for them.
        size_t taken = shared_file_read(file, 0, base, length), kept = taken > 0 ? taken : 1;
        if (kept < length && mremap(base, length, kept, 0) != MAP_FAILED) area->length = kept;
    }
    shared_file_close(file);
    return area->base;
}

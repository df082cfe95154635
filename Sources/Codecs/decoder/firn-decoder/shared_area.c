#include "shared_area.h"

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

// Memory that the program shares with a worker.
#ifndef FIRN_DECODER_SHARED_AREA_H
#define FIRN_DECODER_SHARED_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    /// NULL if nothing is mapped.
    uint8_t *base;
    size_t length;
} shared_area;

/// Maps a descriptor, replacing the earlier mapping, and closes it.
bool shared_area_map(shared_area *area, int descriptor, uint64_t length, int protection);

void shared_area_unmap(shared_area *area);

/// Copies at most `count` bytes from `offset` to `target` and returns the number copied. `context` is a shared_area.
size_t shared_area_read(void *context, uint64_t offset, uint8_t *target, size_t count);

/// A file that other programs may change and that is therefore never mapped.
typedef struct {
    int descriptor;
    uint64_t length;
} shared_file;

/// Closes the file.
void shared_file_close(shared_file *file);

/// Copies at most `count` bytes from `offset`; fewer at the end of the file. `context` is a shared_file.
size_t shared_file_read(void *context, uint64_t offset, uint8_t *target, size_t count);

/// Copies the file to private memory, shorter if the file is, and closes it. Replaces the earlier mapping. Returns
/// false if memory is exhausted.
bool shared_file_copy(shared_file *file, shared_area *area);

#endif

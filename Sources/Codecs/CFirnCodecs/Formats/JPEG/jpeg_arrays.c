// Coefficient arrays in memory mappings, instead of libjpeg's arrays, which use malloc.
//
// They take megabytes for each image. glibc keeps up to 64 MiB of such memory per thread after it is freed. Returning
// it with malloc_trim locks all arenas and empties the heap of the drawing thread, which must then fault in every page
// of its next frame: 300 faults per frame, half of the painting time. A mapping returns to the system at once and
// affects no other thread.
//
// Data structure: an array is a sequence of block rows, plus a table of their starts.
// Invariant: all block rows are zero before the first access, as in fresh mappings.
//
// Source: libjpeg.txt "Memory management"; jmemsys.h and structure.txt on virtual arrays. libjpeg calls these functions
// only through the pointers in jpeg_memory_mgr, and accesses arrays only through them.
#define _GNU_SOURCE
#include "jpeg_decoder.h"

#include <jerror.h>
#include <sys/mman.h>

/// The size of a large page, which the system allocates and zeroes in one step.
static const size_t large_page = 2u << 20;

/// The content of a jvirt_barray_ptr, which is private to the memory manager.
typedef struct {
    JBLOCKARRAY rows;
    JDIMENSION count;
} block_array;

/// Maps zeroed memory; returns NULL if the system has none, or there are too many arrays.
static void *map(firn_jpeg_arrays *arrays, size_t length) {
    if (arrays->count == FIRN_JPEG_MOST_ARRAYS) return NULL;
    void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    // A hint. Without it, or without large pages, the result is the same but slightly slower.
    if (length >= 2 * large_page) (void)madvise(base, length, MADV_HUGEPAGE);
    arrays->mappings[arrays->count].base = base;
    arrays->mappings[arrays->count].length = length;
    arrays->count++;
    return base;
}

static jvirt_barray_ptr request(
    j_common_ptr jpeg, int pool, boolean zeroed, JDIMENSION blocks, JDIMENSION rows, JDIMENSION most) {
    (void)zeroed;
    (void)most;
    jpeg_decoder *self = jpeg->client_data;
    // Sizes: an image has at most 65,500 columns and rows, so at most 2^13 blocks in either direction, plus padding.
    size_t row_bytes = (size_t)blocks * sizeof(JBLOCK);
    JBLOCKROW base = rows && row_bytes ? map(&self->arrays, row_bytes * rows) : NULL;
    if (!base) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 4);
    block_array *array = jpeg->mem->alloc_small(jpeg, pool, sizeof *array);
    array->rows = jpeg->mem->alloc_large(jpeg, pool, rows * sizeof(JBLOCKROW));
    array->count = rows;
    for (JDIMENSION row = 0; row < rows; row++) array->rows[row] = base + (size_t)row * blocks;
    return (jvirt_barray_ptr)array;
}

static JBLOCKARRAY access_rows(
    j_common_ptr jpeg, jvirt_barray_ptr pointer, JDIMENSION start, JDIMENSION count, boolean writable) {
    (void)writable;
    block_array *array = (block_array *)pointer;
    if (start > array->count || count > array->count - start) ERREXIT(jpeg, JERR_BAD_VIRTUAL_ACCESS);
    return array->rows + start;
}

void firn_jpeg_arrays_install(struct jpeg_decompress_struct *jpeg) {
    jpeg->mem->request_virt_barray = request;
    jpeg->mem->access_virt_barray = access_rows;
}

void firn_jpeg_arrays_free(firn_jpeg_arrays *arrays) {
    for (int i = 0; i < arrays->count; i++) munmap(arrays->mappings[i].base, arrays->mappings[i].length);
    arrays->count = 0;
}

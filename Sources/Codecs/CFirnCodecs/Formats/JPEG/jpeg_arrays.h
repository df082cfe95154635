// Stores the coefficients of a multi-scan image in memory mappings.
#ifndef FIRN_JPEG_ARRAYS_H
#define FIRN_JPEG_ARRAYS_H

#include <stddef.h>

struct jpeg_decompress_struct;

/// libjpeg's maximum number of components (MAX_COMPONENTS); each has one array.
enum { FIRN_JPEG_MOST_ARRAYS = 10 };

typedef struct {
    struct {
        void *base;
        size_t length;
    } mappings[FIRN_JPEG_MOST_ARRAYS];
    int count;
} firn_jpeg_arrays;

/// Makes libjpeg use the coefficient arrays of its `client_data`, a jpeg_decoder. Call before jpeg_start_decompress.
void firn_jpeg_arrays_install(struct jpeg_decompress_struct *jpeg);

/// Returns the memory to the system. Call after jpeg_destroy_decompress.
void firn_jpeg_arrays_free(firn_jpeg_arrays *arrays);

#endif

// Stores the coefficients of an image of several scans in memory mappings.
#ifndef FIRN_JPEG_ARRAYS_H
#define FIRN_JPEG_ARRAYS_H

#include <stddef.h>

struct jpeg_decompress_struct;

/// libjpeg accepts no more components than this (MAX_COMPONENTS), and each has one array.
enum { FIRN_JPEG_MOST_ARRAYS = 10 };

typedef struct {
    struct {
        void *base;
        size_t length;
    } mappings[FIRN_JPEG_MOST_ARRAYS];
    int count;
} firn_jpeg_arrays;

/// Makes libjpeg store its coefficient arrays in those of its `client_data`, a jpeg_decoder. Call it before
/// jpeg_start_decompress.
void firn_jpeg_arrays_install(struct jpeg_decompress_struct *jpeg);

/// Returns the memory to the system. Call it after jpeg_destroy_decompress.
void firn_jpeg_arrays_free(firn_jpeg_arrays *arrays);

#endif

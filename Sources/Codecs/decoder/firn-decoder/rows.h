// The pixels of an image: rows in the strip, or in a surface lent by the program.
#ifndef FIRN_DECODER_ROWS_H
#define FIRN_DECODER_ROWS_H

#include <stdint.h>

#include "worker.h"

/// Starts a decode, and reads the first rows if the request says so.
int32_t start(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

/// Reads rows into the surface, or into the strip if there is none.
int32_t read_rows(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

/// Writes a preview to the preview surface.
int32_t show(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

#endif

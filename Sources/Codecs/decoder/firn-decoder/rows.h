// The pixels of an image: rows in the strip, or in a surface that the program lends.
#ifndef FIRN_DECODER_ROWS_H
#define FIRN_DECODER_ROWS_H

#include <stdint.h>

#include "worker.h"

/// Starts a decode, and reads the first rows if the request asks for them.
int32_t start(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

/// Reads rows to the surface, or to the strip if there is none.
int32_t read_rows(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

/// Writes a preview to the surface of previews.
int32_t show(worker *self, const firn_worker_request *request, firn_worker_reply *reply);

#endif

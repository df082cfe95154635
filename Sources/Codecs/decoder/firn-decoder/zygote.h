// The process that workers are forked from: it has the libraries loaded, one thread, and reads no image.
#ifndef FIRN_DECODER_ZYGOTE_H
#define FIRN_DECODER_ZYGOTE_H

#include <stdbool.h>

/// Closes all descriptors from `first` on. Also where the system lacks close_range (Linux before 5.9), or a list of system
/// calls refuses it.
///
/// - Returns: false if they cannot be found.
bool close_from(int first);

/// Starts and ends workers as the program behind `control` asks, until it closes the socket.
///
/// - Returns: the exit status of the process.
int zygote(int control);

#endif

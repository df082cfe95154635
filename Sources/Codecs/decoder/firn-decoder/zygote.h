// The process that forks workers: it has the libraries loaded and one thread, and reads no images.
#ifndef FIRN_DECODER_ZYGOTE_H
#define FIRN_DECODER_ZYGOTE_H

#include <stdbool.h>

/// Closes all descriptors from `first` up, even where the system lacks close_range (Linux before 5.9) or refuses it.
///
/// - Returns: false if they cannot be enumerated.
bool close_from(int first);

/// Starts and ends workers as the program behind `control` requests, until it closes the socket.
///
/// - Returns: the exit status of the process.
int zygote(int control);

#endif

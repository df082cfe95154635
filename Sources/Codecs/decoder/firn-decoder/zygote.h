// The process that workers are forked from: it has the libraries loaded, one thread, and reads no image.
#ifndef FIRN_DECODER_ZYGOTE_H
#define FIRN_DECODER_ZYGOTE_H

/// Starts and ends workers as the program behind `control` asks, until it closes the socket.
///
/// - Returns: the exit status of the process.
int zygote(int control);

#endif

// Font files for a process that may open none.
//
// The zygote knows the files of all fonts. A worker asks it for one by name and gets a read-only descriptor; every
// other name is refused. FreeType opens fonts by `open`, and cairo asks for them by `access`: this program replaces
// both.
#ifndef FIRN_DECODER_FONTS_H
#define FIRN_DECODER_FONTS_H

#include <stdbool.h>

/// Loads the list of fonts, once. For the zygote.
void fonts_load(void);

/// Replies to one request on a worker's socket. For the zygote.
///
/// - Returns: false if the worker is gone.
bool fonts_reply(int socket);

/// Has `open` ask the zygote through `socket` from now on. For a worker.
void fonts_ask(int socket);

#endif

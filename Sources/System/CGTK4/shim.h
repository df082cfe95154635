#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/eventfd.h>

// What CoreFoundation's loop uses to run libdispatch's main queue, which is the main actor's executor. Exported by
// libdispatch on Linux, in no header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

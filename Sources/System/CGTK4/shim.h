#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/eventfd.h>

// What CoreFoundation's loop uses to run libdispatch's main queue, which is the main actor's executor. Exported by
// libdispatch on Linux, in no header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

// Paints a texture. With `mipmaps` all of its pixels count, however small it is painted. GTK has mipmaps since 4.10.
static inline void firn_gtk_snapshot_append_texture(
    GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *bounds, gboolean mipmaps) {
#if GTK_CHECK_VERSION(4, 10, 0)
    if (mipmaps) {
        gtk_snapshot_append_scaled_texture(snapshot, texture, GSK_SCALING_FILTER_TRILINEAR, bounds);
        return;
    }
#endif
    (void)mipmaps;
    gtk_snapshot_append_texture(snapshot, texture, bounds);
}

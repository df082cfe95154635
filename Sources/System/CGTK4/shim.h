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

// Returns what is wrong with the label that a widget has for assistive technology, under GTK_A11Y=test; NULL if nothing
// is. Free it. The function that GTK has for tests takes a variable number of arguments.
static inline char *firn_gtk_test_label(GtkWidget *widget, const char *label) {
    return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
}

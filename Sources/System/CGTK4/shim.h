#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/eventfd.h>

// CoreFoundation's run loop uses these functions to run libdispatch's main queue, the main actor's executor.
// libdispatch exports them on Linux, but no header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

// Paints a texture. With `mipmaps`, all of its pixels contribute, however small it is painted. Since GTK 4.10.
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

// Returns the problem with a widget's label for assistive technology, under GTK_A11Y=test; NULL if there is none. The
// caller frees it. GTK's own test function is variadic.
static inline char *firn_gtk_test_label(GtkWidget *widget, const char *label) {
    return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
}

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/eventfd.h>

// CoreFoundation's run loop uses these functions to run libdispatch's main queue, the main actor's executor.
// libdispatch exports them on Linux, but no header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

enum firn_texture_filter {
    FIRN_FILTER_LINEAR,
    // All pixels contribute, however small the texture is painted. Since GTK 4.10; linear before.
    FIRN_FILTER_MIPMAPS,
    // Each pixel is a rectangle of one color.
    FIRN_FILTER_NEAREST
};

static inline void firn_gtk_snapshot_append_texture(
    GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *bounds, enum firn_texture_filter filter) {
#if GTK_CHECK_VERSION(4, 10, 0)
    static const GskScalingFilter filters[] = {
        GSK_SCALING_FILTER_LINEAR, GSK_SCALING_FILTER_TRILINEAR, GSK_SCALING_FILTER_NEAREST};
    if (filter != FIRN_FILTER_LINEAR) {
        gtk_snapshot_append_scaled_texture(snapshot, texture, filters[filter], bounds);
        return;
    }
#else
    if (filter == FIRN_FILTER_NEAREST) {
        const int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
        cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
        if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
            gdk_texture_download(
                texture, cairo_image_surface_get_data(surface), (gsize)cairo_image_surface_get_stride(surface));
            cairo_surface_mark_dirty(surface);
            cairo_t *cairo = gtk_snapshot_append_cairo(snapshot, bounds);
            cairo_translate(cairo, bounds->origin.x, bounds->origin.y);
            cairo_scale(cairo, bounds->size.width / width, bounds->size.height / height);
            cairo_set_source_surface(cairo, surface, 0, 0);
            cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
            cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
            cairo_paint(cairo);
            cairo_destroy(cairo);
            cairo_surface_destroy(surface);
            return;
        }
        cairo_surface_destroy(surface);
    }
#endif
    gtk_snapshot_append_texture(snapshot, texture, bounds);
}

// Ties a value to its label for assistive technology. GTK's own function is variadic.
static inline void firn_gtk_label_by(GtkWidget *widget, GtkWidget *label) {
    gtk_accessible_update_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

// Returns the problem with a widget's label for assistive technology, under GTK_A11Y=test; NULL if there is none. The
// caller frees it. GTK's own test function is variadic.
static inline char *firn_gtk_test_label(GtkWidget *widget, const char *label) {
    return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
}

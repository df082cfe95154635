#if GTK
import CGTK4

/// Counts living GObjects, by weak references.
@MainActor
final class LivingObjects {
    private(set) var count = 0
    /// The largest number at one time.
    private(set) var most = 0

    /// Counts an object until it is deallocated. This object must outlive it.
    func watch(_ object: UnsafeMutableRawPointer) {
        count += 1
        most = max(most, count)
        let gone: @MainActor @convention(c) (gpointer?, UnsafeMutablePointer<GObject>?) -> Void = { objects, _ in
            guard let objects else { return }
            Unmanaged<LivingObjects>.fromOpaque(objects).takeUnretainedValue().count -= 1
        }
        g_object_weak_ref(
            object.assumingMemoryBound(to: GObject.self), unsafeBitCast(gone, to: GWeakNotify.self),
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Counts a widget and all its descendants.
    func watchAll(_ widget: UnsafeMutablePointer<GtkWidget>) {
        watch(UnsafeMutableRawPointer(widget))
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            watchAll(next)
            child = gtk_widget_get_next_sibling(next)
        }
    }
}
#endif

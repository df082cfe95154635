#if GTK
import CGTK4
import Firn
import FirnGTK

/// The keys of the window.
extension GalleryWindow {
    /// Handles a key. Returns whether it was one of the window's.
    func press(_ key: UInt32, isControl: Bool) -> Bool {
        if isControl { return pressControl(key) }
        guard isViewing else {
            if isSearching, Int32(bitPattern: key) == GDK_KEY_Down {
                grid.focus()
                return true
            }
            if !isSearching, Int32(bitPattern: key) == GDK_KEY_r {
                grid.retry()
                return true
            }
            guard Int32(bitPattern: key) == GDK_KEY_Escape, !grid.images.query.isEmpty else { return false }
            header.clearSearch()
            grid.focus()
            return true
        }
        if Int32(bitPattern: key) == GDK_KEY_Escape || Int32(bitPattern: key) == GDK_KEY_BackSpace {
            closeViewer()
            return true
        }
        return viewer.press(key)
    }

    private func pressControl(_ key: UInt32) -> Bool {
        switch Int32(bitPattern: key) {
        case GDK_KEY_f:
            if isViewing { closeViewer() }
            gtk_widget_grab_focus(header.search)
        case GDK_KEY_d: GalleryControls.toggleDark()
        case GDK_KEY_o: chooseFolder()
        case GDK_KEY_p: header.nextPolicy()
        case GDK_KEY_n: header.nextNetwork()
        case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: header.scaleCells(by: 40)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: header.scaleCells(by: -40)
        case GDK_KEY_w, GDK_KEY_q: gtk_window_destroy(window)
        default: return false
        }
        return true
    }
}
#endif

#if GTK
import CGTK4
import FirnGTK

/// The keys of the window.
extension GalleryWindow {
    /// Handles a key. Returns whether it was one of the window's.
    func press(_ chord: KeyTable.Chord) -> Bool {
        let key = Int32(bitPattern: chord.key)
        if isEditing {
            if key == GDK_KEY_Down {
                grid.focus(on: 0)
                return true
            }
            let isFunction = (UInt32(GDK_KEY_F1)...UInt32(GDK_KEY_F12)).contains(chord.key)
            guard isFunction || (chord.isControl && !["copy", "undo"].contains(keys.grid[chord])) else { return false }
        }
        if isViewing, viewer.crop.isActive { return pressCropping(chord) }
        guard !isViewing else {
            if key == GDK_KEY_Escape { return leave() }
            if key == GDK_KEY_space, isOnButton { return false }
            return perform((viewer.view.canPan ? keys.zoomed : keys.viewer)[chord])
        }
        if key == GDK_KEY_Escape { return leave() }
        if !chord.isControl, grid.moveFocus(key) { return true }
        return perform(keys.grid[chord])
    }

    /// Handles a key while an image is cropped. Keys that would do something else to it have no effect.
    private func pressCropping(_ chord: KeyTable.Chord) -> Bool {
        let key = Int32(bitPattern: chord.key)
        if viewer.crop.press(key, resizes: chord.isShift, isFine: chord.isControl) { return true }
        if [GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_space].contains(key), isOnButton { return false }
        return perform(keys.crop[chord]) || keys.viewer[chord] != nil
    }

    private func perform(_ action: String?) -> Bool {
        guard let action else { return false }
        actions.perform(action)
        return true
    }

    private var isOnButton: Bool {
        gtk_window_get_focus(window).map { gtk_button_get_type().holds($0.object) } ?? false
    }

    /// Ends what was begun last. Returns whether there was something.
    private func leave() -> Bool {
        if viewer.isSliding {
            actions.perform("slides")
        } else if isFullscreen {
            gtk_window_unfullscreen(window)
        } else if isViewing {
            closeViewer()
        } else if header.isSearching {
            header.isSearching = false
            grid.focus()
        } else if !grid.selected.isEmpty {
            grid.unselect()
        } else {
            return false
        }
        return true
    }
}
#endif

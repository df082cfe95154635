#if GTK
import CGTK4
import FirnGTK

/// The contents of the visible cells; for measurements.
extension GalleryWindow {
    /// True if the first screen shows its images.
    var isFilled: Bool { isComplete && (isViewing || !grid.scroll.visible.isEmpty) }

    /// True if the large image, or every visible cell, shows its image or has failed.
    var isComplete: Bool {
        if isViewing { return viewer.isComplete }
        return isSolid
            || grid.cells(in: grid.scroll.visible).allSatisfy { place, image in
                image.binding.phase.isEnded || grid.images.request(place) == nil
            }
    }

    /// The number of cells reported as visible that are above or below the window.
    func cellsOutside() -> Int {
        let end = Float(gtk_widget_get_height(grid.widget))
        return grid.scroll.visible.count { position in
            let item = grid.factory.cell(at: position).flatMap { GalleryGrid.item(of: $0) }
            guard let bounds = item?.bounds(in: grid.widget) else { return false }
            return bounds.origin.y >= end || bounds.origin.y + bounds.size.height <= 0
        }
    }

    /// The number of visible cells that show a wrong image.
    func wrongImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { place, image in
            guard image.binding.content.kind == .image, let shown = image.binding.phase.response?.request else {
                return false
            }
            let wanted = grid.images.request(place)
            return shown.imageID != wanted?.imageID || shown.description != wanted?.description
        }
    }

    /// The visible cells that load: the number with a stand-in, and the loading times of those with a sign.
    func loadingCells() -> (standIns: Int, busy: [Duration]) {
        var (standIns, busy): (Int, [Duration]) = (0, [])
        for (_, image) in grid.cells(in: grid.scroll.visible) where image.binding.content.kind == .placeholder {
            if image.binding.content.image != nil { standIns += 1 }
            if let cell = GridCell.of(around: image), cell.isBusy, let start = cell.loading.start {
                busy.append(start.duration(to: .now))
            }
        }
        return (standIns, busy)
    }

    /// The number of visible cells that show their image.
    func rightImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { _, image in image.binding.content.kind == .image }
            - wrongImages()
    }

    // The keys of the window.

    /// Handles a key. Returns `false` for keys of other widgets.
    func press(_ chord: KeyTable.Chord) -> Bool {
        let key = Int32(bitPattern: chord.key)
        if isEditing {
            if key == GDK_KEY_Down {
                grid.focus(on: 0)
                return true
            }
            let isFunction = (UInt32(GDK_KEY_F1)...UInt32(GDK_KEY_F12)).contains(chord.key)
            guard isFunction || (chord.isControl && !["copy", "undo", "select-all"].contains(keys.grid[chord])) else {
                return false
            }
        }
        if isViewing, viewer.crop.isActive { return pressCropping(chord) }
        if key == GDK_KEY_Escape { return leave() }
        if isViewing {
            if key == GDK_KEY_space, isOnButton { return false }
            return perform(
                viewer.view.canPan ? keys.zoomed[chord] : keys.viewer[widget.isMirrored ? chord.mirrored : chord])
        }
        let along = widget.isMirrored ? chord.mirrored : chord
        if !chord.isControl, grid.moveFocus(Int32(bitPattern: along.key)) { return true }
        if key == GDK_KEY_Tab || key == GDK_KEY_ISO_Left_Tab { return leaveGrid(toEnd: key != GDK_KEY_Tab) }
        return perform(keys.grid[chord])
    }

    /// Handles a key while an image is cropped. The viewer's other keys have no effect.
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

    /// Moves the focus from the grid to the selection's actions or the header. GTK before 4.12 would move it to another
    /// image.
    private func leaveGrid(toEnd: Bool) -> Bool {
        guard grid.focused != nil else { return false }
        let direction = toEnd ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD
        return (toEnd ? [header.widget] : [selection.widget, header.widget])
            .contains { gtk_widget_child_focus($0, direction) != 0 }
    }

    private var isOnButton: Bool {
        gtk_window_get_focus(window).map { gtk_button_get_type().holds($0.object) } ?? false
    }

    /// Leaves the innermost mode. Returns `false` if there is none.
    private func leave() -> Bool {
        if viewer.isSliding {
            actions.perform("slides")
        } else if isFullscreen {
            gtk_window_unfullscreen(window)
        } else if viewer.isComparing {
            viewer.endComparing()
        } else if isViewing {
            closeViewer()
        } else if header.isSearching {
            header.isSearching = false
            grid.focus()
        } else if grid.isSelecting || !grid.selected.isEmpty {
            actions.perform("unselect")
        } else {
            return false
        }
        return true
    }
}

#endif

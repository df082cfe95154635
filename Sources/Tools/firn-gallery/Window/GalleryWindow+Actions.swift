#if GTK
import CFirnAdwaita
import CGTK4
import Firn
import FirnGTK

/// The actions of the window.
extension GalleryWindow {
    func addActions() {
        actions.add("open") { [weak self] in
            guard let self else { return }
            FileActions.chooseFolder(self.window) { self.onOpen?($0) }
        }
        actions.add("search") { [weak self] in
            guard let self else { return }
            if self.isViewing { self.closeViewer() }
            self.header.isSearching = true
        }
        actions.addChoice("sort", GalleryOrder.found.rawValue) { [weak self] in
            if let order = GalleryOrder(rawValue: $0) { self?.sort(order) }
        }
        actions.add("larger") { [weak self] in self?.scaleCells(by: 40) }
        actions.add("smaller") { [weak self] in self?.scaleCells(by: -40) }
        actions.add("fullscreen") { [weak self] in
            guard let self else { return }
            if self.isFullscreen { gtk_window_unfullscreen(self.window) } else { gtk_window_fullscreen(self.window) }
        }
        actions.addToggle("statistics") { [weak self] in self?.statistics.isShown = $0 }
        actions.add("next-policy") { [weak self] in self?.statistics.nextPolicy() }
        actions.add("next-network") { [weak self] in self?.statistics.nextNetwork() }
        actions.add("dark") { [weak self] in self?.toggleDark() }
        actions.add("shortcuts") { [weak self] in self.map { ShortcutsWindow.present(over: $0.window) } }
        actions.add("about") { [weak self] in self.map { AboutWindow.present(over: $0.window) } }
        actions.add("close") { [weak self] in self.map { gtk_window_destroy($0.window) } }
        addImageActions()
        addViewerActions()
    }

    private func addImageActions() {
        actions.add("retry") { [weak self] in
            guard let self else { return }
            if self.isViewing { self.viewer.view.retry() } else { self.grid.retry() }
        }
        actions.add("copy") { [weak self] in
            guard let self, !self.targets.isEmpty else { return }
            FileActions.copy(self.targets, from: self.widget)
            self.tell(tr("Copied"))
        }
        actions.add("open-with") { [weak self] in
            guard let self, let path = self.targets.first?.path else { return }
            FileActions.openWith(path, self.window)
        }
        actions.add("show-in-folder") { [weak self] in
            guard let self, let path = self.targets.first?.path else { return }
            FileActions.showInFolder(path, self.window)
        }
        actions.add("print") { [weak self] in self?.print() }
        actions.add("save-part") { [weak self] in self?.savePart() }
        actions.add("select-all") { [weak self] in self?.grid.selectAll() }
        actions.add("unselect") { [weak self] in self?.grid.unselect() }
        actions.add("trash") { [weak self] in self?.moveToTrash() }
        actions.add("undo") { [weak self] in self?.restore() }
        actions.add("view") { [weak self] in
            guard let self, let image = self.targets.first, let place = self.grid.images.place(of: image.source)
            else { return }
            self.open(place)
        }
        actions.add("menu") { [weak self] in
            guard let self, let cell = self.grid.focused else { return }
            self.showMenu(at: cell, 24, 24)
        }
        actions.add("slides") { [weak self] in self?.toggleSlides() }
    }

    private func addViewerActions() {
        actions.add("back") { [weak self] in self?.closeViewer() }
        actions.add("next") { [weak self] in self?.viewer.move(by: 1) }
        actions.add("previous") { [weak self] in self?.viewer.move(by: -1) }
        actions.add("first") { [weak self] in self?.viewer.showEnd(isLast: false) }
        actions.add("last") { [weak self] in self?.viewer.showEnd(isLast: true) }
        for (name, zoomAction) in KeyTable.zoomActions {
            actions.add(name) { [weak self] in
                guard let self else { return }
                gtk_widget_activate_action_variant(self.viewer.view.widget, zoomAction, nil)
            }
        }
        actions.add("crop") { [weak self] in
            guard let self, self.isViewing else { return }
            self.viewer.isSliding = false
            self.viewer.crop.begin()
        }
        actions.add("crop-leave") { [weak self] in self?.viewer.crop.end() }
        actions.add("crop-save") { [weak self] in
            guard let self, let part = self.viewer.crop.part else { return }
            self.save(part)
            self.viewer.crop.end()
        }
        actions.addToggle("info") { [weak self] in self?.viewer.page.isInfoShown = $0 }
    }

    /// The images that an action is for: the large one, the selected ones, or the one with the focus.
    var targets: [GalleryImage] {
        let images = grid.images
        if isViewing { return images.indices.contains(viewer.place) ? [images[viewer.place]] : [] }
        let selected = grid.selected
        let places = selected.isEmpty ? [grid.focused?.place].compactMap(\.self) : selected
        return places.filter { images.indices.contains($0) }.map { images[$0] }
    }

    /// Enables the actions that there is something for.
    func enableActions() {
        let count = grid.images.count
        actions.enable(["next", "last"], isViewing && viewer.place + 1 < count)
        actions.enable(["previous", "first"], isViewing && viewer.place > 0)
        actions.enable(["slides"], count > 1)
        // The new file is beside the image.
        actions.enable(["crop", "save-part"], isViewing && targets.first?.path != nil)
        actions.enable(["undo"], !trashed.isEmpty)
    }

    private func scaleCells(by step: Int) { grid.cell = min(max(grid.cell + step, 60), 480) }

    private func toggleSlides() {
        if viewer.isSliding {
            viewer.isSliding = false
            if isFullscreen { gtk_window_unfullscreen(window) }
            return
        }
        if !isViewing { open(grid.focused?.place ?? 0) }
        viewer.isSliding = true
        gtk_window_fullscreen(window)
    }

    /// Loads the image at the pixels of a page, and prints it.
    private func print() {
        guard isViewing, var request = viewer.request() else { return }
        request.targetSize = TargetSize(ImagePrint.maximumSide, mode: .fit)
        Task { [weak self, name = grid.images.name(viewer.place), pipeline = grid.context.pipeline] in
            do {
                let image = try await pipeline.image(for: request)
                guard let self else { return }
                if let reason = try ImagePrint(image, name: name).run(over: self.window) { self.report(reason) }
            } catch {
                self?.report("\(error)")
            }
        }
    }

    /// Saves what is visible of the large image as a new file beside it.
    private func savePart() {
        guard isViewing else { return }
        guard let part = viewer.visiblePart else { return tell(tr("Zoom in on the part first.")) }
        save(part)
    }

    /// Saves a part of the large image as a new file beside it.
    func save(_ part: ImagePart) {
        guard let request = viewer.request(of: part), let path = targets.first?.path else { return }
        let taken = { (path: String) in (try? LocalFileSystem().status(path)) != nil }
        guard let new = ImagePart.path(beside: path, isTaken: taken) else { return }
        saving = Task { [weak self, pipeline = grid.context.pipeline] in
            do {
                try await pipeline.image(for: request).write(to: new)
                self?.tell(tr("Saved as %1", String(GalleryImage(new).name)))
            } catch {
                self?.report("\(error)")
            }
        }
    }

    // MARK: The trash

    private func moveToTrash() {
        var moved: [Trash.Entry] = []
        for path in targets.compactMap(\.path) {
            do throws(Trash.Fault) {
                moved.append(try trash.move(path))
            } catch {
                report("\(error)")
            }
        }
        guard !moved.isEmpty else { return }
        trashed = moved
        grid.images.remove(Set(moved.map(\.original)))
        refresh()
        tell(
            tr("%1 image moved to the trash", "%1 images moved to the trash", count: moved.count), button: tr("_Undo"),
            action: "undo")
    }

    private func restore() {
        let entries = trashed
        trashed = []
        var restored: [GalleryImage] = []
        for entry in entries {
            do throws(Trash.Fault) {
                try trash.restore(entry)
            } catch {
                report("\(error)")
                continue
            }
            // Order: the folder's monitor may have found it already.
            if grid.images.place(of: entry.original) == nil, let image = SourceWalk().image(at: entry.original) {
                restored.append(image)
            }
        }
        grid.images.append(restored)
        refresh()
    }

    // MARK: The menu of an image

    func showMenu(at cell: GridCell, _ x: Double, _ y: Double) {
        guard let place = cell.place else { return }
        if !grid.selected.contains(place) { grid.select(place) }
        let menu = GalleryMenu.model([
            [(tr("_Open"), "view"), (tr("Open _With…"), "open-with"), (tr("Show in _Folder"), "show-in-folder")],
            [(tr("_Copy"), "copy"), (tr("Move to _Trash"), "trash")],
        ])
        let popover: Widget = gtk_popover_menu_new_from_model(menu)
        g_object_unref(menu)
        // Order: a widget with a layout manager, which gives its popovers their places.
        gtk_widget_set_parent(popover, transition.widget)
        var (across, along) = (0.0, 0.0)
        gtk_widget_translate_coordinates(cell.widget, transition.widget, x, y, &across, &along)
        var point = GdkRectangle(x: gint(across), y: gint(along), width: 1, height: 1)
        gtk_popover_set_pointing_to(popover.cast(), &point)
        gtk_popover_set_has_arrow(popover.cast(), 0)
        gtk_widget_set_halign(popover, GTK_ALIGN_START)
        GridCell.hasMenu = true
        SignalClosure.connect(popover.object, "closed") { [weak self] in
            GridCell.hasMenu = false
            // Order: the menu performs its action after it is closed.
            Task {
                gtk_widget_unparent(popover)
                if let self, !self.isViewing { self.grid.focus(on: place) }
            }
        }
        gtk_popover_popup(popover.cast())
    }
}
#endif

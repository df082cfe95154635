#if GTK
import CFirnAdwaita
import FirnGTK

/// The actions of the window.
extension GalleryWindow {
    /// Adds an action of this window.
    private func on(_ name: String, _ body: @escaping @MainActor (GalleryWindow) -> Void) {
        actions.add(name) { [weak self] in if let self { body(self) } }
    }

    func addActions() {
        on("open") { window in
            FileActions.chooseFolder(window.window, tr("Open a Folder"), button: tr("_Open")) { window.onOpen?($0) }
        }
        on("search") {
            if $0.isViewing { $0.closeViewer() }
            $0.header.isSearching = true
        }
        actions.addChoice("sort", GalleryOrder.found.rawValue) { [weak self] in
            if let order = GalleryOrder(rawValue: $0) { self?.sort(order) }
        }
        actions.addToggle("reversed") { [weak self] isReversed in
            if let self { self.sort(self.grid.images.order, isReversed: isReversed) }
        }
        on("larger") { $0.scaleCells(by: 40) }
        on("smaller") { $0.scaleCells(by: -40) }
        on("fullscreen") {
            if $0.isFullscreen { gtk_window_unfullscreen($0.window) } else { gtk_window_fullscreen($0.window) }
        }
        on("dark") { $0.toggleDark() }
        on("shortcuts") { ShortcutsWindow.present(over: $0.window) }
        on("about") { AboutWindow.present(over: $0.window) }
        on("close") { gtk_window_destroy($0.window) }
        addImageActions()
        addViewerActions()
    }

    private func addImageActions() {
        on("retry") { if $0.isViewing { $0.viewer.view.retry() } else { $0.grid.retry() } }
        on("copy") {
            guard let first = $0.targets.first else { return }
            let pixels = $0.isViewing ? $0.viewer.request() : first.request
            FileActions.copy($0.targets, from: $0.widget, pixels: pixels, $0.grid.context.pipeline)
            $0.notify(tr("Copied"))
        }
        on("open-with") { FileActions.openWith($0.targets.compactMap(\.path), $0.window) }
        on("show-in-folder") { if let path = $0.targets.first?.path { FileActions.showInFolder(path, $0.window) } }
        on("print") { $0.print() }
        on("save-part") {
            guard $0.isViewing else { return }
            if let part = $0.viewer.visiblePart { $0.save(part) } else { $0.notify(tr("Zoom in on the part first.")) }
        }
        on("select-all") { $0.grid.selectAll() }
        on("unselect") { if $0.grid.isSelecting { $0.actions.perform("select") } else { $0.grid.unselect() } }
        actions.addToggle("select") { [weak self] isOn in
            self?.grid.isSelecting = isOn
            if !isOn { self?.grid.unselect() }
        }
        on("trash") { $0.moveToTrash() }
        for turn in ImageTurn.allCases { on(turn.rawValue) { $0.turn(turn) } }
        on("compare") { $0.compare() }
        on("rename") { $0.rename() }
        on("move") { $0.transfer(copies: false) }
        on("copy-to") { $0.transfer(copies: true) }
        on("undo") { $0.undo() }
        on("view") {
            if let image = $0.targets.first, let place = $0.grid.images.place(of: image.source) { $0.open(place) }
        }
        on("menu") { if let cell = $0.grid.focused { $0.showMenu(at: cell, 24, 24) } }
        on("slides") { $0.toggleSlides() }
    }

    private func addViewerActions() {
        on("back") { $0.closeViewer() }
        on("next") { $0.viewer.move(by: 1) }
        on("previous") { $0.viewer.move(by: -1) }
        on("first") { $0.viewer.showEnd(isLast: false) }
        on("last") { $0.viewer.showEnd(isLast: true) }
        for action in ZoomAction.allCases where ImageTurn(rawValue: action.rawValue) == nil {
            on(action.rawValue) { gtk_widget_activate_action_variant($0.viewer.view.widget, action.rawValue, nil) }
        }
        on("crop") {
            guard $0.isViewing else { return }
            $0.viewer.isSliding = false
            $0.viewer.crop.begin()
        }
        on("crop-leave") { $0.viewer.crop.end() }
        on("crop-save") {
            guard let part = $0.viewer.crop.part else { return }
            $0.save(part)
            $0.viewer.crop.end()
        }
        on("slide-time") {
            $0.viewer.slideSeconds = $0.viewer.slideSeconds < 32 ? $0.viewer.slideSeconds * 2 : 2
            $0.notify(tr("%1 seconds for each image", String($0.viewer.slideSeconds)))
        }
        actions.addToggle("shuffle") { [weak self] isOn in
            self?.viewer.isShuffled = isOn
            self?.notify(isOn ? tr("Slide show: random order") : tr("Slide show: in order"))
        }
        actions.addToggle("keep-zoom") { [weak self] in self?.viewer.view.keepsPosition = $0 }
        actions.addToggle("pixels") { [weak self] isOn in self?.viewer.views.forEach { $0.isPixelated = isOn } }
        actions.addToggle("pause") { [weak self] in self?.viewer.view.playsAnimations = !$0 }
        for (name, frames) in [("step.next", 1), ("step.previous", -1)] {
            on(name) {
                $0.viewer.view.stepAnimation(by: frames)
                $0.actions.show("pause", isOn: true)
            }
        }
        actions.addToggle("info") { [weak self] in self?.viewer.page.showsInfo = $0 }
    }

    /// The images that an action applies to: the large one, the selected ones, or, unless the user selects by clicking,
    /// the focused one.
    var targets: [GalleryImage] {
        let images = grid.images
        if isViewing { return images.indices.contains(viewer.place) ? [images[viewer.place]] : [] }
        let selected = grid.selected
        let places = selected.isEmpty && !grid.isSelecting ? [grid.focused?.place].compactMap(\.self) : selected
        return places.filter { images.indices.contains($0) }.map { images[$0] }
    }

    /// Enables the actions that have an effect now.
    func enableActions() {
        let count = grid.images.count
        actions.enable(["next", "previous"], isViewing && count > 1)
        actions.enable(["last"], isViewing && viewer.place + 1 < count)
        actions.enable(["first"], isViewing && viewer.place > 0)
        actions.enable(["slides", "compare"], count > 1)
        // The new file is written beside the image.
        actions.enable(["crop", "save-part"], isViewing && targets.first?.path != nil)
        actions.enable(["undo"], !changes.isEmpty)
    }

    private func scaleCells(by step: Int) { grid.cell = min(max(grid.cell + step, 60), 480) }

    private func toggleSlides() {
        if viewer.isSliding {
            viewer.isSliding = false
            if isFullscreen { gtk_window_unfullscreen(window) }
            return
        }
        if !isViewing { open(grid.focused?.place ?? 0) }
        viewer.endComparing()
        viewer.isSliding = true
        gtk_window_fullscreen(window)
    }

    /// Loads the image at the resolution of a page and prints it.
    private func print() {
        guard isViewing, var request = viewer.request() else { return }
        request.targetSize = TargetSize(ImagePrint.maximumSide, mode: .fit)
        Task { [weak self, name = grid.images.name(viewer.place), pipeline = grid.context.pipeline] in
            do {
                let image = try await pipeline.image(for: request)
                guard let self else { return }
                if let reason = try ImagePrint.run(image, name: name, over: self.window) { self.report(reason) }
            } catch {
                self?.report("\(error)")
            }
        }
    }

    /// Saves a part of the large image as a new file beside it.
    func save(_ part: ImagePart) {
        guard let request = viewer.request(of: part), let path = targets.first?.path else { return }
        let exists = { (path: String) in (try? LocalFileSystem().status(path)) != nil }
        guard let new = ImagePart.path(beside: path, isTaken: exists) else { return }
        working = Task { [weak self, pipeline = grid.context.pipeline] in
            do {
                try await pipeline.image(for: request).write(toPath: new)
                self?.notify(tr("Saved as %1", String(GalleryImage(new).name)))
            } catch {
                self?.report("\(error)")
            }
        }
    }

    // MARK: Changes of files

    private func moveToTrash() {
        // Order: at once, so that the next key applies to the next image.
        let results = targets.compactMap(\.path).map { path in
            Result { () throws(DataFileError) in FileChange.trashed(try trash.move(path)) }
        }
        finish(results) { tr("%1 image moved to the trash", "%1 images moved to the trash", count: $0) }
    }

    /// Moves or copies the images to a folder that the user chooses.
    private func transfer(copies: Bool) {
        let paths = targets.compactMap(\.path)
        guard let first = paths.first else { return }
        let title = copies ? tr("Copy to a folder") : tr("Move to a folder")
        let button = copies ? tr("_Copy") : tr("_Move")
        FileActions.chooseFolder(window, title, button: button, first: PathText.parent(first)) { [weak self] folder in
            self?.working = Task {
                let results = await FileChange.each(paths) { (path) throws(DataFileError) in
                    try .make(path, to: PathText.join(folder, PathText.split(path).name), copies: copies)
                }
                self?.finish(results) {
                    copies
                        ? tr("%1 image copied", "%1 images copied", count: $0)
                        : tr("%1 image moved", "%1 images moved", count: $0)
                }
            }
        }
    }

    /// Turns images in their files. If the file of the large image cannot be changed, only its view is rotated.
    private func turn(_ turn: ImageTurn) {
        func rotateView() { viewer.view.rotation += turn.quarterTurns }
        let paths = targets.compactMap(\.path)
        guard !isViewing || !(viewer.crop.isActive || paths.isEmpty) else {
            return turn.isMirrored ? () : rotateView()
        }
        working = Task { [weak self, former = working] in
            // Order: one after the other, since each reads the orientation that the former one has written.
            await former?.value
            let results = await FileChange.each(paths) { (path) throws(DataFileError) in try .turn(path, turn) }
            guard let self, !self.isClosed else { return }
            self.finish(results) { tr("%1 image turned", "%1 images turned", count: $0) }
            if self.isViewing, !turn.isMirrored, results.allSatisfy({ (try? $0.get()) == nil }) {
                self.viewer.view.rotation += turn.quarterTurns
            }
        }
    }

    /// Shows two images side by side: the selected ones, or the large one and the next. Ends a comparison.
    private func compare() {
        if viewer.isComparing { return viewer.endComparing() }
        guard !viewer.crop.isActive else { return }
        let places = isViewing ? [viewer.place, (viewer.place + 1) % max(1, grid.images.count)] : grid.selected
        guard places.count == 2, places[0] != places[1] else { return notify(tr("Select two images first.")) }
        viewer.isSliding = false
        if isViewing { viewer.show(places[1], of: grid.images) } else { open(places[1]) }
        viewer.compare(with: places[0])
    }

    /// Changes the name of the image to one that the user types.
    private func rename() {
        guard targets.count == 1, let image = targets.first, let path = image.path else { return }
        RenameDialog.present(over: window, image.title) { [weak self] name in
            let new = PathText.join(PathText.parent(path), name)
            let result = Result { () throws(DataFileError) in try FileChange.make(path, to: new, copies: false) }
            self?.finish([result]) { _ in tr("Renamed to %1", name) }
        }
    }

    /// Shows the list after changes of files.
    ///
    /// - Parameter words: returns the message about a number of changes.
    private func finish(_ results: [Result<FileChange, DataFileError>], _ words: (Int) -> String) {
        let done = succeeded(results)
        guard !isClosed, !done.isEmpty else { return }
        changes = done
        for case .moved(let path, let new) in done where PathText.parent(path) == PathText.parent(new) {
            renamed(path, to: new)
        }
        grid.images.remove(Set(done.compactMap(\.removed)))
        refresh()
        reload()
        notify(words(done.count), undoes: true)
    }

    /// Undoes the latest change of files.
    private func undo() {
        let former = changes
        changes = []
        dismissUndo()
        working = Task { [weak self, trash] in
            let results = await FileChange.each(former) { (change) throws(DataFileError) in
                try change.undo(trash)
                return change
            }
            guard let self, !self.isClosed else { return }
            let undone = self.succeeded(results)
            for case .moved(let path, let new) in undone { self.renamed(new, to: path) }
            let restored = await SourceReader.images(at: undone.compactMap(\.removed))
            // Order: the folder's monitor may have added them already.
            self.grid.images.append(restored.filter { self.grid.images.place(of: $0.source) == nil })
            self.refresh()
            self.reload()
        }
    }

    /// Shows the large image as it is in its file now.
    private func reload() { if isViewing { viewer.reload() } }

    /// Reports the failures, and returns the other results.
    private func succeeded(_ results: [Result<FileChange, DataFileError>]) -> [FileChange] {
        results.compactMap { result in
            if case .failure(let error) = result { report("\(error.path): \(FailureText.reason(error.code))") }
            return try? result.get()
        }
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
        // Order: the parent needs a layout manager, which positions its popovers.
        gtk_widget_set_parent(popover, transition.widget)
        var (across, along) = (0.0, 0.0)
        gtk_widget_translate_coordinates(cell.widget, transition.widget, x, y, &across, &along)
        // The focused cell may be scrolled away. GTK fails for a menu that is on no monitor.
        let overlay = transition.widget
        let x = gint(max(0, min(across, Double(gtk_widget_get_width(overlay)))))
        let y = gint(max(0, min(along, Double(gtk_widget_get_height(overlay)))))
        var point = GdkRectangle(x: x, y: y, width: 1, height: 1)
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

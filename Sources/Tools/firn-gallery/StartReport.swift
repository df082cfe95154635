#if GTK
import ArgumentParser
import CGTK4
import FirnDemoServer
import FirnGTK
import FirnReport

/// The times until a window opened, filled its first screen, and had found all images.
@MainActor
enum StartReport {
    /// The end of the measurement.
    enum Moment: String, ExpressibleByArgument {
        /// The window was painted for the first time.
        case window
        /// The images of the first screen are shown.
        case screen
        /// All images have been found, and the visible ones are shown.
        case all
    }

    /// Waits for the moment, at most two minutes, and presses keys.
    ///
    /// The report has times, the number of failed images on the screen, and the line below the large image. `standIns`
    /// and `busy` are the maximum numbers of visible cells with a stand-in and with a loading sign; `busyAfterMs` is
    /// the shortest loading time of a cell with a sign. `largeStandIn` is true if the large image had a stand-in.
    /// `outside` counts cells outside the window that are reported as visible, `ahead` prefetched neighbors.
    /// `leastWidth` is the minimum width of the window.
    static func watch(
        _ session: GallerySession, from start: ContinuousClock.Instant, until moment: Moment, viewing: Bool,
        pressing keys: String
    ) async -> JSONValue {
        let window = session.window
        let limit = start + .seconds(120)
        while gtk_widget_get_mapped(window.widget) == 0, .now < limit { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        await FrameTurn.next()
        let opened = start.duration(to: .now)
        var (screen, all): (Duration?, Duration?) = (nil, nil)
        var (wrong, standIns, busy) = (0, 0, 0)
        var busyAfter: Duration?
        var hasLargeStandIn = false
        while moment != .window, .now < limit, screen == nil || (moment == .all && all == nil) {
            let isFilled = window.grid.images.count > 0 && window.isFilled
            if screen == nil, isFilled || (session.isRead && window.grid.images.count == 0) {
                screen = start.duration(to: .now)
            }
            if screen != nil, session.isRead, window.isComplete { all = start.duration(to: .now) }
            wrong += window.wrongImages()
            let loading = window.loadingCells()
            (standIns, busy) = (max(standIns, loading.standIns), max(busy, loading.busy.count))
            busyAfter = (loading.busy + [busyAfter].compactMap(\.self)).min()
            hasLargeStandIn = hasLargeStandIn || window.viewer.hasStandIn
            await FrameTurn.next()
        }
        let images = window.grid.images.all.count
        let peak = PeakMemory.sinceReset
        var facts = ""
        if viewing, images > 0 {
            if !window.isViewing { window.open(0) }
            while !window.viewer.isComplete || window.viewer.panel.text.isEmpty, .now < limit {
                hasLargeStandIn = hasLargeStandIn || window.viewer.hasStandIn
                await FrameTurn.next()
            }
            facts = window.viewer.panel.text
        }
        await press(keys, in: window, until: limit)
        let (right, failed) = (window.rightImages(), window.grid.failed.count)
        let line = window.isViewing ? window.viewer.text : ""
        let (selected, selection) = (window.grid.selected.count, window.selection.text)
        // The last images need time to be painted and to fade in.
        let faded = ContinuousClock.now + GalleryGrid.fade + GalleryGrid.fade
        while .now < faded { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        var least: gint = 0
        gtk_widget_measure(window.widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, nil, nil, nil)
        return .object([
            ("windowMs", .milliseconds(opened)), ("screenMs", .milliseconds(screen)), ("allMs", .milliseconds(all)),
            ("images", .int(images)), ("right", .int(right)), ("wrongImages", .int(wrong)),
            ("peakMiB", .mebibytes(peak)), ("facts", .string(facts)), ("failed", .int(failed)), ("line", .string(line)),
            ("standIns", .int(standIns)), ("busy", .int(busy)), ("busyAfterMs", .milliseconds(busyAfter)),
            ("largeStandIn", .bool(hasLargeStandIn)), ("selected", .int(selected)), ("selection", .string(selection)),
            ("outside", .int(window.cellsOutside())), ("count", .string(window.header.count)),
            ("undo", .bool(window.undoToast != nil)), ("plays", .bool(window.viewer.view.playsAnimations)),
            ("slideSeconds", .int(window.viewer.slideSeconds)), ("ahead", .int(window.viewer.ahead.count)),
            ("leastWidth", .int(Int(least))), ("turned", .int(window.viewer.view.rotation)),
        ])
    }

    private static func press(
        _ keys: String, in window: GalleryWindow, until limit: ContinuousClock.Instant
    ) async {
        // Keys act on the focused image. The focus is set some frames after the images are found.
        let focus = min(limit, .now + .seconds(5))
        while !keys.isEmpty, !window.isViewing, window.grid.images.count > 0, window.grid.focused == nil, .now < focus {
            await FrameTurn.next()
        }
        for name in keys.split(separator: ",") {
            let parts = name.split(separator: "+")
            let place = window.viewer.place
            let chord = KeyTable.Chord(parts.dropLast().map { "<\($0)>" }.joined() + (parts.last ?? ""))
            if let chord, !window.press(chord), window.isEditing { window.header.type(chord.key) }
            await window.working?.value
            let end = min(limit, .now + .seconds(20))
            // A slide show that a key starts advances by one image.
            while window.viewer.isSliding && window.viewer.place == place
                || !(window.isViewing ? window.viewer.isSettled : window.isComplete), .now < end
            {
                await FrameTurn.next()
            }
        }
    }
}

/// Screenshots of a window.
@MainActor
enum Screenshot {
    /// Saves a screenshot between two frames, in the format of the path's ending. Retries, since there is no texture
    /// while a frame is due.
    static func save(_ widget: Widget, to path: String) async throws {
        for _ in 0..<1_000 {
            if let texture = Screenshot.texture(of: widget) {
                defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
                let size = PixelSize(
                    width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
                let isJPEG = path.hasSuffix(".jpg") || path.hasSuffix(".jpeg")
                let image = try Bitmap(size: size, format: .bgra8Premultiplied, isOpaque: isJPEG) { pixels in
                    gdk_texture_download(
                        texture, pixels.base.assumingMemoryBound(to: UInt8.self), gsize(pixels.bytesPerRow))
                }
                try await image.write(toPath: path, quality: 0.88)
                return
            }
            await FrameTurn.next()
        }
        throw DemoFault(message: "\(path): the window was not painted")
    }

    /// Returns the current content of a window, with a reference for the caller; `nil` while it is about to be
    /// repainted.
    private static func texture(of widget: Widget) -> OpaquePointer? {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        // The frame of the window is part of it. Another size would scale everything.
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(
            paintable, snapshot, Double(gdk_paintable_get_intrinsic_width(paintable)),
            Double(gdk_paintable_get_intrinsic_height(paintable)))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(OpaquePointer(widget)) else { return nil }
        return gsk_renderer_render_texture(renderer, node, nil)
    }
}

extension JSONValue {
    /// A number with one decimal; null if there is none.
    static func tenths(_ value: Double?) -> JSONValue { value.map { .double(($0 * 10).rounded() / 10) } ?? .null }

    /// A duration in milliseconds with one decimal; null if there is none.
    static func milliseconds(_ duration: Duration?) -> JSONValue { tenths(duration.map { $0 / .milliseconds(1) }) }

    /// Bytes in MiB with one decimal.
    static func mebibytes(_ bytes: Int) -> JSONValue { tenths(Double(bytes) / 1_048_576) }
}
#endif

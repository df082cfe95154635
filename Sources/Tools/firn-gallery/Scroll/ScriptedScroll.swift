#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync

/// A scripted, reproducible movement of the grid with its measurements.
@MainActor
struct ScriptedScroll {
    /// A movement of the grid.
    enum Course {
        /// Scrolls for some seconds, and turns around at the end.
        case scroll(seconds: Double, screensPerSecond: Double)
        /// Passes a number of cells in some seconds, as by dragging the scrollbar; 0 seconds for a jump.
        case jump(cells: Int, seconds: Double)

        var seconds: Double {
            switch self {
            case .scroll(let seconds, _), .jump(_, let seconds): seconds
            }
        }
    }

    let window: GalleryWindow
    let course: Course

    /// A gap between frames that is longer than this is a visible stutter.
    private static let lateNanoseconds: Int64 = 35_000_000
    /// The maximum wait for images.
    private static let patience: Int64 = 60_000_000_000
    /// The idle time before a jump, for prefetching to end.
    private static let rest = Duration.seconds(1)

    /// Waits for the window and its first screen, moves, and waits for the visible images.
    ///
    /// - Returns: the measurements, and whether every visible cell got its image, which a scroll does not require.
    func run() async -> (report: JSONValue, isComplete: Bool) {
        // The times of binding a cell to a loaded image and to another one, and of showing a delivered image.
        var (hits, misses, deliveries): ([Int64], [Int64], [Int64]) = ([], [], [])
        let (grid, scroll) = (window.grid, window.grid.scroll)
        await FrameTurn.layout(of: grid.widget)
        _ = await settle()
        if case .jump = course { try? await Task.sleep(for: ScriptedScroll.rest) }
        PeakMemory.reset()
        grid.factory.onBindTime = { duration, isHit in
            if isHit { hits.append(duration.nanoseconds) } else { misses.append(duration.nanoseconds) }
        }
        FirnPicture.onDisplayTime = { deliveries.append($0) }
        let before = grid.context.statistics
        let cpu = ProcessorTime.now
        await FrameTurn.frame(of: window.widget)
        let frames = gtk_widget_get_frame_clock(window.widget).map { FrameTimes($0) }
        var wrong = await move()
        let stop = MonotonicClock.now()
        let rest = await settle()
        let time = Duration.nanoseconds(MonotonicClock.now() - stop)
        wrong += rest.wrong
        FirnPicture.onDisplayTime = nil
        grid.factory.onBindTime = nil
        let after = grid.context.statistics
        let (gaps, paints) = (frames?.gaps ?? [], frames?.paints ?? [])
        let delivered = after.deliveries - before.deliveries
        let shown = after.memoryHits - before.memoryHits + delivered
        let deliveryTime: Double = (after.deliveryTime - before.deliveryTime) / .microseconds(1)
        // Order: before the textures, which use memory and time, too.
        let (peak, processor) = (PeakMemory.sinceReset, ProcessorTime.now - cpu)
        let isComplete = rest.isSettled && grid.failed.isEmpty
        var (isScroll, texture): (Bool, TextureCost?) = (false, nil)
        if case .scroll = course { (isScroll, texture) = (true, TextureCost.measure()) }
        let report = JSONValue.object([
            ("frames", .int(gaps.count)),
            ("gapP50Ms", percentile(gaps, 50, 1e6)), ("gapP99Ms", percentile(gaps, 99, 1e6)),
            ("lateFrames", .int(gaps.count { $0 > ScriptedScroll.lateNanoseconds })),
            ("longestFreezeMs", .milliseconds(.nanoseconds(gaps.max() ?? 0))),
            ("paintP50Ms", percentile(paints, 50, 1e6)), ("paintP99Ms", percentile(paints, 99, 1e6)),
            ("bindHitP50Us", percentile(hits, 50, 1e3)), ("bindHitP99Us", percentile(hits, 99, 1e3)),
            ("bindMissP50Us", percentile(misses, 50, 1e3)), ("bindMissP99Us", percentile(misses, 99, 1e3)),
            ("deliverP50Us", percentile(deliveries, 50, 1e3)), ("deliverP99Us", percentile(deliveries, 99, 1e3)),
            ("deliveries", .int(delivered)),
            ("deliverAllUs", .tenths(delivered > 0 ? deliveryTime / Double(delivered) : nil)),
            ("textureNs", JSONValue(texture.map { Int($0.firn) })),
            ("bareTextureNs", JSONValue(texture.map { Int($0.bare) })),
            ("shown", .int(shown)), ("wrongImages", .int(wrong)),
            ("stopToAllRightMs", .milliseconds(isComplete ? time : nil)),
            ("firstCell", .int(scroll.visible.lowerBound)), ("cells", .int(scroll.visible.count)),
            ("cell", .int(grid.cell)), ("bytes", .int(grid.context.pipeline.statistics.bytesLoaded)),
            ("peakMiB", .mebibytes(peak)), ("processorSeconds", .tenths(processor.seconds)),
        ])
        return (report, isComplete || isScroll)
    }

    /// Returns a percentile of times in nanoseconds, in a unit of `unit` nanoseconds.
    private func percentile(_ times: [Int64], _ percent: Double, _ unit: Double) -> JSONValue {
        .tenths(times.percentile(percent).map { Double($0) / unit })
    }

    /// Moves in each frame by the elapsed time.
    ///
    /// - Returns: the number of cells that showed a wrong image, over all frames.
    private func move() async -> Int {
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
        let (start, from) = (MonotonicClock.now(), gtk_adjustment_get_value(adjustment))
        var (wrong, last, direction) = (0, start, 1.0)
        var end: Double?
        if case .jump(let cells, _) = course {
            let rows = Double(cells) / Double(max(1, window.grid.scroll.columns))
            end = window.grid.scroll.tracker.rowExtent * rows.rounded()
        }
        await FrameTurn.frames(of: window.widget) {
            let now = MonotonicClock.now()
            let elapsed = Double(now - start) / 1e9
            guard elapsed < course.seconds else { return false }
            let page = gtk_adjustment_get_page_size(adjustment)
            let most = gtk_adjustment_get_upper(adjustment) - page
            var value = gtk_adjustment_get_value(adjustment)
            switch course {
            case .scroll(_, let speed):
                value += direction * page * speed * Double(now - last) / 1e9
                if value >= most || value <= 0 { direction = value <= 0 ? 1 : -1 }
            case .jump(_, let seconds): value = from + ((end ?? from) - from) * elapsed / seconds
            }
            last = now
            gtk_adjustment_set_value(adjustment, min(max(value, 0), max(0, most)))
            wrong += window.wrongImages()
            return true
        }
        if let end { gtk_adjustment_set_value(adjustment, end) }
        return wrong
    }

    /// Waits until each visible cell shows its image or has failed, and has been painted.
    ///
    /// - Returns: whether that happened in time, and the number of cells that showed a wrong image, over all frames.
    private func settle() async -> (isSettled: Bool, wrong: Int) {
        let start = MonotonicClock.now()
        var wrong = 0
        while MonotonicClock.now() - start < ScriptedScroll.patience {
            // Order: in the next frame, after earlier changes are laid out and painted.
            await FrameTurn.frame(of: window.widget)
            wrong += window.wrongImages()
            let visible = window.grid.scroll.visible
            let isBound = !visible.isEmpty && window.grid.cells(in: visible).count == visible.count
            if isBound, window.isComplete { return (true, wrong) }
        }
        return (false, wrong)
    }
}

/// Cells with preloaded images. Scrolling loads and decodes nothing; the remaining cost is that of any program that
/// shows images in GTK's grid.
@MainActor
enum LoadedCells {
    /// The number of different images, more than are on the screen, so that each cell has its own texture.
    private static let count = 64

    /// Loads images at the cells' size and shows them in the cells.
    ///
    /// - Returns: whether there is at least one.
    static func fill(_ grid: GalleryGrid, with images: [GalleryImage]) async -> Bool {
        let requests = GalleryImage.repeated(images, count: count, solid: false).compactMap(\.request)
        let mode = grid.context.options.contentMode
        var loaded: [ImageContainer] = []
        for request in requests {
            let request = request.fitted(
                to: TargetSize(grid.cell, mode: mode), format: grid.context.options.pixelFormat)
            // Images that fail are skipped: this measures painting.
            let response = try? await grid.context.pipeline.imageTask(with: request).response
            if let response { loaded.append(response.container) }
        }
        guard !loaded.isEmpty else { return false }
        grid.display = { [loaded] image, place in
            image.display(DisplayedContent(.image, container: loaded[place % loaded.count], contentMode: mode))
        }
        return true
    }
}

/// The times and durations of a window's frames.
@MainActor
final class FrameTimes {
    /// Nanoseconds between the ends of consecutive frames.
    private(set) var gaps: [Int64] = []
    /// Nanoseconds of layout and painting for each frame.
    private(set) var paints: [Int64] = []
    private var start: Int64 = 0
    private var last: Int64 = 0
    private var handlers: [SignalHandler] = []

    init(_ clock: OpaquePointer) {
        let object = UnsafeMutableRawPointer(clock)
        let began = SignalClosure.connect(object, "before-paint") { [weak self] in self?.start = MonotonicClock.now() }
        let ended = SignalClosure.connect(object, "after-paint") { [weak self] in self?.ended() }
        handlers = [SignalHandler(object, began), SignalHandler(object, ended)]
    }

    private func ended() {
        let now = MonotonicClock.now()
        if start > 0 { paints.append(now - start) }
        if last > 0 { gaps.append(now - last) }
        last = now
    }
}

/// The time of the drawing thread for the texture of a 1920 × 1080 image, compared with GDK's share of it.
struct TextureCost {
    /// Nanoseconds for each.
    var firn: Int64 = 0
    var bare: Int64 = 0

    private static let size = PixelSize(width: 1920, height: 1080)
    private static let count = 200
    private static let rounds = 21

    /// Returns medians of several alternating rounds; `nil` if there is no memory for an image.
    @MainActor
    static func measure() -> TextureCost? {
        guard let image = try? Bitmap(size: size, format: .rgb8, { _ in }) else { return nil }
        var (ours, bare): ([Int64], [Int64]) = ([], [])
        for _ in 0..<rounds {
            guard let images = try? images(of: image) else { return nil }
            var textures: [ImageTexture] = []
            textures.reserveCapacity(count)
            var start = MonotonicClock.now()
            for image in images { if let texture = try? ImageTexture.of(image) { textures.append(texture) } }
            ours.append((MonotonicClock.now() - start) / Int64(count))
            guard textures.count == count else { return nil }
            textures = []
            var made: [OpaquePointer?] = []
            made.reserveCapacity(count)
            image.withUnsafeBytes { bytes in
                start = MonotonicClock.now()
                for _ in 0..<count {
                    // With a function that is called at the end, as for a program that owns the pixels.
                    let content = g_bytes_new_with_free_func(bytes.baseAddress, gsize(bytes.count), { _ in }, nil)
                    made.append(
                        gdk_memory_texture_new(
                            gint(size.width), gint(size.height), GDK_MEMORY_R8G8B8, content, gsize(image.bytesPerRow)))
                    g_bytes_unref(content)
                }
                bare.append((MonotonicClock.now() - start) / Int64(count))
                for case let texture? in made { g_object_unref(UnsafeMutableRawPointer(texture)) }
            }
        }
        return TextureCost(firn: ours.sorted()[rounds / 2], bare: bare.sorted()[rounds / 2])
    }

    /// Returns separate images over the same pixels, none of which has a texture yet.
    private static func images(of image: Bitmap) throws -> [Bitmap] {
        try (0..<count).map { _ in
            try image.withUnsafeBytes { bytes in
                try Bitmap(
                    borrowing: bytes, size: size, format: .rgb8, bytesPerRow: image.bytesPerRow, isOpaque: true,
                    release: { withExtendedLifetime(image) {} })
            }
        }
    }
}
#endif

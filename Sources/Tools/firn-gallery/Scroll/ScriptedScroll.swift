#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync

/// A scripted, reproducible scroll with its measurements.
@MainActor
struct ScriptedScroll {
    let window: GalleryWindow
    let seconds: Double
    let screensPerSecond: Double

    /// A gap between frames that is longer than this is a visible stutter.
    private static let lateNanoseconds: Int64 = 35_000_000

    /// Waits for the window, scrolls, and waits for the visible images. Returns the measurements.
    func run() async -> JSONValue {
        // The times of binding a cell to a loaded image and to another one, and of showing a delivered image.
        var (hits, misses, deliveries): ([Int64], [Int64], [Int64]) = ([], [], [])
        await FrameTurn.layout(of: window.grid.widget)
        await settle()
        let start = MonotonicClock.now()
        PeakMemory.reset()
        window.grid.factory.onBindTime = { duration, isHit in
            if isHit { hits.append(duration.nanoseconds) } else { misses.append(duration.nanoseconds) }
        }
        FirnPicture.onDisplayTime = { deliveries.append($0) }
        let before = window.grid.context.statistics
        let cpu = ProcessorTime.now
        let frames = gtk_widget_get_frame_clock(window.widget).map { FrameTimes($0) }
        var wrong = await scroll(from: start)
        let settled = MonotonicClock.now()
        await settle()
        FirnPicture.onDisplayTime = nil
        window.grid.factory.onBindTime = nil
        let after = window.grid.context.statistics
        let (gaps, paints) = (frames?.gaps ?? [], frames?.paints ?? [])
        wrong += window.wrongImages()
        let settleMilliseconds = Double(MonotonicClock.now() - settled) / 1e6
        let delivered = after.deliveries - before.deliveries
        let shown = after.memoryHits - before.memoryHits + delivered
        let deliveryTime: Double = (after.deliveryTime - before.deliveryTime) / .microseconds(1)
        // Order: before the textures, which use memory and time, too.
        let (peak, processor) = (PeakMemory.sinceReset, ProcessorTime.now - cpu)
        let texture = TextureCost.measure()
        return .object([
            ("frames", .int(gaps.count)),
            ("gapP50Ms", percentile(gaps, 50, 1e6)), ("gapP99Ms", percentile(gaps, 99, 1e6)),
            ("lateFrames", .int(gaps.count { $0 > ScriptedScroll.lateNanoseconds })),
            ("paintP50Ms", percentile(paints, 50, 1e6)), ("paintP99Ms", percentile(paints, 99, 1e6)),
            ("bindHitP50Us", percentile(hits, 50, 1e3)), ("bindHitP99Us", percentile(hits, 99, 1e3)),
            ("bindMissP50Us", percentile(misses, 50, 1e3)), ("bindMissP99Us", percentile(misses, 99, 1e3)),
            ("deliverP50Us", percentile(deliveries, 50, 1e3)), ("deliverP99Us", percentile(deliveries, 99, 1e3)),
            ("delivered", .int(delivered)),
            ("deliverAllUs", .tenths(delivered > 0 ? deliveryTime / Double(delivered) : nil)),
            ("textureNs", JSONValue(texture.map { Int($0.firn) })),
            ("bareTextureNs", JSONValue(texture.map { Int($0.bare) })),
            ("shown", .int(shown)), ("wrongImages", .int(wrong)), ("settleMs", .tenths(settleMilliseconds)),
            ("bytes", .int(window.grid.context.pipeline.statistics.bytesLoaded)), ("peakMiB", .mebibytes(peak)),
            ("processorSeconds", .tenths(processor.seconds)),
        ])
    }

    /// Returns a percentile of times in nanoseconds, in a unit of `unit` nanoseconds.
    private func percentile(_ times: [Int64], _ percent: Double, _ unit: Double) -> JSONValue {
        .tenths(times.percentile(percent).map { Double($0) / unit })
    }

    /// Scrolls in each frame by the elapsed time, and turns around at the end.
    ///
    /// - Returns: the number of cells that showed a wrong image, over all frames.
    private func scroll(from start: Int64) async -> Int {
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
        var (wrong, last, direction) = (0, start, 1.0)
        await FrameTurn.frames(of: window.widget) {
            let now = MonotonicClock.now()
            guard Double(now - start) / 1e9 < seconds else { return false }
            let page = gtk_adjustment_get_page_size(adjustment)
            let most = gtk_adjustment_get_upper(adjustment) - page
            let step = page * screensPerSecond * Double(now - last) / 1e9
            last = now
            var value = gtk_adjustment_get_value(adjustment) + direction * step
            if value >= most || value <= 0 { direction = value <= 0 ? 1 : -1 }
            value = min(max(value, 0), max(0, most))
            gtk_adjustment_set_value(adjustment, value)
            wrong += window.wrongImages()
            return true
        }
        return wrong
    }

    /// Waits at most 30 s until every visible cell has its image.
    private func settle() async {
        let start = MonotonicClock.now()
        while !window.isComplete, MonotonicClock.now() - start < 30_000_000_000 { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        await FrameTurn.frame(of: window.widget)
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
        let pipeline = grid.context.pipeline
        var loaded: [ImageContainer] = []
        for request in requests {
            let request = request.fitted(
                to: TargetSize(grid.cell, mode: mode), format: grid.context.options.pixelFormat)
            // Images that fail are skipped: this measures painting.
            if let response = try? await pipeline.imageTask(with: request).response {
                loaded.append(response.container)
            }
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
    private let clock: OpaquePointer
    private var handlers: [gulong] = []

    init(_ clock: OpaquePointer) {
        self.clock = clock
        g_object_ref(UnsafeMutableRawPointer(clock))
        let object = UnsafeMutableRawPointer(clock)
        handlers.append(SignalClosure.connect(object, "before-paint") { [weak self] in self?.began() })
        handlers.append(SignalClosure.connect(object, "after-paint") { [weak self] in self?.ended() })
    }

    isolated deinit {
        for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(clock), handler) }
        g_object_unref(UnsafeMutableRawPointer(clock))
    }

    private func began() { start = MonotonicClock.now() }

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

/// A jump far down an idle list, as by dragging the scrollbar. Measures the time until the visible cells show their
/// images.
@MainActor
struct ScriptedJump {
    let window: GalleryWindow
    /// The number of cells to pass.
    let cells: Int
    /// The duration of the drag in seconds; 0 for a jump.
    let seconds: Double
    /// The number of cells that showed a wrong image, over all frames.
    var wrong = 0

    /// The maximum wait for images.
    private static let patience: Int64 = 60_000_000_000
    /// The idle time before the jump, for prefetching to end.
    private static let rest = Duration.seconds(1)

    /// Waits for the window and its first screen, jumps, and waits until every visible cell shows its image.
    ///
    /// - Returns: the measurements, and whether every visible cell got its image.
    mutating func run() async -> (report: JSONValue, isComplete: Bool) {
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
        await FrameTurn.layout(of: window.grid.widget)
        _ = await waitUntilRight()
        wrong = 0
        try? await Task.sleep(for: ScriptedJump.rest)
        let scroll = window.grid.scroll
        let rows = Double(cells) / Double(max(1, scroll.columns))
        PeakMemory.reset()
        let before = window.grid.context.statistics
        let cpu = ProcessorTime.now
        await FrameTurn.frame(of: window.widget)
        let frames = gtk_widget_get_frame_clock(window.widget).map { FrameTimes($0) }
        await move(adjustment, to: scroll.tracker.layout.rowExtent * rows.rounded())
        let start = MonotonicClock.now()
        gtk_adjustment_set_value(adjustment, scroll.tracker.layout.rowExtent * rows.rounded())
        let isComplete = await waitUntilRight()
        let time = Duration.nanoseconds(MonotonicClock.now() - start)
        let longest = Duration.nanoseconds(frames?.gaps.max() ?? 0)
        let processor = ProcessorTime.now - cpu
        let report = JSONValue.object([
            ("stopToAllRightMs", .milliseconds(isComplete ? time : nil)), ("longestFreezeMs", .milliseconds(longest)),
            ("firstCell", .int(scroll.visible.lowerBound)), ("cells", .int(scroll.visible.count)),
            ("cell", .int(window.grid.cell)),
            ("deliveries", .int(window.grid.context.statistics.deliveries - before.deliveries)),
            ("wrongImages", .int(wrong)), ("peakMiB", .mebibytes(PeakMemory.sinceReset)),
            ("processorMs", .milliseconds(processor)),
        ])
        return (report, isComplete)
    }

    /// Scrolls in each frame by the elapsed time.
    private mutating func move(_ adjustment: UnsafeMutablePointer<GtkAdjustment>?, to end: Double) async {
        let (start, from) = (MonotonicClock.now(), gtk_adjustment_get_value(adjustment))
        while true {
            let part = Double(MonotonicClock.now() - start) / 1e9 / max(seconds, 1e-9)
            guard part < 1 else { return }
            gtk_adjustment_set_value(adjustment, from + (end - from) * part)
            await FrameTurn.frame(of: window.widget)
            wrong += window.wrongImages()
        }
    }

    /// Waits until each visible cell shows its own image and has been painted.
    ///
    /// - Returns: whether that happened in time.
    private mutating func waitUntilRight() async -> Bool {
        let start = MonotonicClock.now()
        while MonotonicClock.now() - start < ScriptedJump.patience {
            // Order: in the next frame, after earlier changes are laid out and painted.
            await FrameTurn.frame(of: window.widget)
            wrong += window.wrongImages()
            let visible = window.grid.scroll.visible
            if !visible.isEmpty, window.rightImages() == visible.count { return true }
        }
        return false
    }
}
#endif

#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync

/// A scripted, reproducible scroll with its measurements.
@MainActor
final class ScriptedScroll {
    private let window: GalleryWindow
    private let seconds: Double
    private let screensPerSecond: Double
    /// The times for binding a cell to a cached image, for binding it to another image, and for showing a delivered
    /// image.
    private var (hits, misses, deliveries): ([Int64], [Int64], [Int64]) = ([], [], [])
    /// The number of cells with a wrong image, over all frames.
    private var wrong = 0

    /// The gap between frames above which a stutter is visible.
    private static let lateNanoseconds: Int64 = 35_000_000

    init(window: GalleryWindow, seconds: Double, screensPerSecond: Double) {
        self.window = window
        self.seconds = seconds
        self.screensPerSecond = screensPerSecond
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
    }

    /// Waits for the window, scrolls, and waits for the visible images. Returns the measurements.
    func run() async -> JSONValue {
        await FrameTurn.layout(of: window.grid.widget)
        await settle()
        let start = MonotonicClock.now()
        PeakMemory.reset()
        window.grid.factory.onBindTime = { [weak self] duration, isHit in
            let time = duration.nanoseconds
            if isHit { self?.hits.append(time) } else { self?.misses.append(time) }
        }
        FirnPicture.onDisplayTime = { [weak self] in self?.deliveries.append($0) }
        let before = window.grid.context.statistics
        let cpu = ProcessorTime.now
        let frames = gtk_widget_get_frame_clock(window.widget).map { FrameTimes($0) }
        await scroll(from: start)
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
        // Order: before the textures, which also take memory and time.
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

    /// Returns a percentile of times, divided by a unit in nanoseconds.
    private func percentile(_ times: [Int64], _ percent: Double, _ unit: Double) -> JSONValue {
        .tenths(Percentiles(times).value(at: percent).map { Double($0) / unit })
    }

    /// Scrolls in each frame according to the elapsed time, and reverses at the ends.
    private func scroll(from start: Int64) async {
        var last = start
        var direction = 1.0
        await FrameTurn.frames(of: window.widget) { [self] in
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
    }

    /// Waits until every visible cell has its image, at most 30 s.
    private func settle() async {
        let start = MonotonicClock.now()
        while !window.isComplete, MonotonicClock.now() - start < 30_000_000_000 { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        await FrameTurn.frame(of: window.widget)
    }
}

/// Cells with preloaded images. Scrolling them loads and decodes nothing, so the remaining cost is that of GTK's grid.
@MainActor
enum LoadedCells {
    /// The number of different images: more than fit on the screen, so that each has its own texture.
    private static let count = 64

    /// Loads images at the size of the cells and shows them in the cells.
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
            // Failed images are skipped, since this measures painting.
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

/// The cost of a texture of a 1920 × 1080 image on the drawing thread, compared with GDK's share.
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
            var made: [OpaquePointer] = []
            made.reserveCapacity(count)
            image.withUnsafeBytes { bytes in
                start = MonotonicClock.now()
                for _ in 0..<count {
                    // Like a program that owns the pixels, with a release function.
                    let content = g_bytes_new_with_free_func(bytes.baseAddress, gsize(bytes.count), { _ in }, nil)
                    if let texture = gdk_memory_texture_new(
                        gint(size.width), gint(size.height), GDK_MEMORY_R8G8B8, content, gsize(image.bytesPerRow))
                    {
                        made.append(texture)
                    }
                    g_bytes_unref(content)
                }
                bare.append((MonotonicClock.now() - start) / Int64(count))
                for texture in made { g_object_unref(UnsafeMutableRawPointer(texture)) }
            }
        }
        return TextureCost(firn: ours.sorted()[rounds / 2], bare: bare.sorted()[rounds / 2])
    }

    /// Returns separate images of the same pixels, so that none has a texture yet.
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

/// A jump far down the list. Measures the time until the visible cells show their images.
///
/// Like a user who drags the scrollbar of an idle list and releases it.
@MainActor
struct ScriptedJump {
    let window: GalleryWindow
    /// The number of cells to pass.
    let cells: Int
    /// The duration of the drag in seconds; 0 for a jump.
    let seconds: Double
    /// The number of cells with a wrong image, over all frames.
    var wrong = 0

    /// The maximum wait for images.
    private static let patience: Int64 = 60_000_000_000
    /// The idle time before the jump, in which prefetching ends.
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

    /// Moves in each frame according to the elapsed time.
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
            // Order: in the next frame, so that earlier changes have been laid out and painted.
            await FrameTurn.frame(of: window.widget)
            wrong += window.wrongImages()
            let visible = window.grid.scroll.visible
            if !visible.isEmpty, window.rightImages() == visible.count { return true }
        }
        return false
    }
}
#endif

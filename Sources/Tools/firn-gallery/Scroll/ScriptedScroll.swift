#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync
import FirnSystem

/// A scripted, reproducible scroll with its measurements.
@MainActor
final class ScriptedScroll {
    private let window: GalleryWindow
    private let seconds: Double
    private let screensPerSecond: Double
    /// The times of binding a cell to a loaded image and to another one, and of showing a delivered image.
    private var (hits, misses, deliveries): ([Int64], [Int64], [Int64]) = ([], [], [])
    /// The number of cells that showed a wrong image, over all frames.
    private var wrong = 0

    /// A gap between frames that is longer than this is a visible stutter.
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
        // Order: before the textures, which take memory and time, too.
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

    /// Returns a percentile of times in nanoseconds, in a unit of so many.
    private func percentile(_ times: [Int64], _ percent: Double, _ unit: Double) -> JSONValue {
        .tenths(Percentiles(times).value(at: percent).map { Double($0) / unit })
    }

    /// Moves in each frame according to the elapsed time, and turns around at the end.
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

/// Cells with preloaded images: scrolling them loads and decodes nothing. The remaining cost is that of any program
/// that shows images in GTK's grid.
@MainActor
enum LoadedCells {
    /// The number of different images: more than are on the screen, so that each has its own texture.
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
#endif

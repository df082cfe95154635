#if GTK
import CGTK4
import Firn
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
    private var report = ScrollReport()

    init(window: GalleryWindow, seconds: Double, screensPerSecond: Double) {
        self.window = window
        self.seconds = seconds
        self.screensPerSecond = screensPerSecond
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
    }

    /// Waits for the window, scrolls, and waits for the visible images.
    func run() async -> ScrollReport {
        await FrameTurn.layout(of: window.grid.widget)
        await settle()
        guard let clock = gtk_widget_get_frame_clock(window.widget) else { return report }
        let start = MonotonicClock.now()
        PeakMemory.reset()
        window.grid.factory.onBindTime = { [weak self] duration, isHit in
            let time = duration.nanoseconds
            if isHit { self?.report.hits.append(time) } else { self?.report.misses.append(time) }
        }
        FirnPicture.onDisplayTime = { [weak self] in self?.report.deliveries.append($0) }
        let before = window.grid.context.statistics
        let cpu = ProcessorTime.now
        let frames = FrameTimes(clock)
        await scroll(from: start)
        let settled = MonotonicClock.now()
        await settle()
        FirnPicture.onDisplayTime = nil
        window.grid.factory.onBindTime = nil
        let after = window.grid.context.statistics
        (report.gaps, report.paints) = (frames.gaps, frames.paints)
        report.shown = after.memoryHits + after.deliveries - before.memoryHits - before.deliveries
        report.wrong += window.wrongImages()
        report.settleMilliseconds = Double(MonotonicClock.now() - settled) / 1e6
        report.bytes = window.grid.context.pipeline.statistics.bytesLoaded
        report.peak = PeakMemory.sinceReset
        report.processor = ProcessorTime.now - cpu
        report.delivered = after.deliveries - before.deliveries
        report.deliveryTime = after.deliveryTime - before.deliveryTime
        report.texture = TextureCost.measure()
        return report
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
            report.wrong += window.wrongImages()
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
#endif

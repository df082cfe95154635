#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnReport
import FirnSync

/// The result of a jump.
struct JumpReport {
    /// True if every visible cell got its image.
    var isComplete = false
    /// The time from the jump until all visible cells showed their images.
    var right = Duration.zero
    /// The first visible index, and the number of visible cells.
    var first = 0
    var cells = 0
    /// Width and height of a cell.
    var cell = 0
    var deliveries = 0
    var wrong = 0
    /// The longest gap between frames.
    var freeze = Duration.zero
    var peak = 0
    var processor = Duration.zero

    var json: JSONValue {
        .object([
            ("stopToAllRightMs", .milliseconds(isComplete ? right : nil)), ("longestFreezeMs", .milliseconds(freeze)),
            ("firstCell", .int(first)), ("cells", .int(cells)), ("cell", .int(cell)),
            ("deliveries", .int(deliveries)), ("wrongImages", .int(wrong)), ("peakMiB", .mebibytes(peak)),
            ("processorMs", .milliseconds(processor)),
        ])
    }
}

/// A jump far down the list, which measures the time until the visible cells show their images.
///
/// Like a user who drags the scrollbar of an idle list and releases it.
@MainActor
final class ScriptedJump {
    private let window: GalleryWindow
    private let cells: Int
    private let seconds: Double
    private var report = JumpReport()

    /// - Parameters:
    ///   - cells: the number of cells to pass.
    ///   - seconds: the duration of the drag; 0 for a jump.
    init(window: GalleryWindow, cells: Int, seconds: Double = 0) {
        self.window = window
        self.cells = cells
        self.seconds = seconds
    }

    /// The maximum wait for images.
    private static let patience: Int64 = 60_000_000_000
    /// The idle time before the jump, in which prefetching ends.
    private static let rest = Duration.seconds(1)

    /// Waits for the window and its first screen, jumps, and waits until every visible cell shows its image.
    func run() async -> JumpReport {
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window.grid.widget))
        await FrameTurn.layout(of: window.grid.widget)
        _ = await waitUntilRight()
        report = JumpReport()
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
        report.isComplete = await waitUntilRight()
        report.right = .nanoseconds(MonotonicClock.now() - start)
        report.freeze = .nanoseconds(frames?.gaps.max() ?? 0)
        report.first = scroll.visible.lowerBound
        report.cells = scroll.visible.count
        report.deliveries = window.grid.context.statistics.deliveries - before.deliveries
        report.processor = ProcessorTime.now - cpu
        report.peak = PeakMemory.sinceReset
        report.cell = window.grid.cell
        return report
    }

    /// Moves in each frame according to the elapsed time.
    private func move(_ adjustment: UnsafeMutablePointer<GtkAdjustment>?, to end: Double) async {
        let (start, from) = (MonotonicClock.now(), gtk_adjustment_get_value(adjustment))
        while true {
            let part = Double(MonotonicClock.now() - start) / 1e9 / max(seconds, 1e-9)
            guard part < 1 else { return }
            gtk_adjustment_set_value(adjustment, from + (end - from) * part)
            await FrameTurn.frame(of: window.widget)
            report.wrong += window.wrongImages()
        }
    }

    /// Waits until each visible cell shows its own image and has been painted.
    ///
    /// - Returns: whether that happened in time.
    private func waitUntilRight() async -> Bool {
        let start = MonotonicClock.now()
        while MonotonicClock.now() - start < ScriptedJump.patience {
            // Order: in the next frame, so that earlier changes have been laid out and painted.
            await FrameTurn.frame(of: window.widget)
            report.wrong += window.wrongImages()
            let visible = window.grid.scroll.visible
            if !visible.isEmpty, window.rightImages() == visible.count { return true }
        }
        return false
    }
}
#endif

#if GTK
import CGTK4
import FirnGTK
import FirnReport
import FirnSync

/// A jump far down the list, which measures the time until the visible cells show their images.
///
/// Like a user who drags the scrollbar of an idle list and releases it.
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

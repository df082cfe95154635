#if GTK
import ArgumentParser
import CGTK4
import Firn
import FirnReport
import FirnSystem

/// The times until a window opened, filled its first screen, and had found all images.
@MainActor
struct StartReport {
    /// The end of the measurement.
    enum Moment: String, ExpressibleByArgument {
        /// The window was painted for the first time.
        case window
        /// The images of the first screen are shown.
        case screen
        /// All images have been found, and the visible ones are shown.
        case all
    }

    var window: Duration?
    var screen: Duration?
    var all: Duration?
    var images = 0
    var right = 0
    var wrong = 0
    var longestBatch = Duration.zero
    var peak = 0
    var facts = ""
    /// Failed images on the screen.
    var failed = 0
    /// The line below the large image.
    var line = ""
    /// The most visible cells that showed a stand-in for their image at a time, and the most with a sign of loading.
    var standIns = 0
    var busy = 0
    /// The shortest time for which a cell with such a sign had been loading.
    var busyAfter: Duration?
    /// True if something stood in for the large image.
    var hasLargeStandIn = false
    /// The number of selected images, and the text of the bar below the grid.
    var selected = 0
    var selection = ""
    /// The number of cells that count as visible although they are outside of the window.
    var outside = 0

    /// Waits for the moment, at most two minutes.
    static func watch(
        _ session: GallerySession, from start: ContinuousClock.Instant, until moment: Moment, viewing: Bool,
        pressing keys: String
    ) async -> StartReport {
        var report = StartReport()
        let window = session.window
        let limit = start + .seconds(120)
        while gtk_widget_get_mapped(window.widget) == 0, .now < limit { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        await FrameTurn.next()
        report.window = start.duration(to: .now)
        while moment != .window, .now < limit, report.screen == nil || (moment == .all && report.all == nil) {
            let isFilled = window.grid.images.count > 0 && window.isFilled
            if report.screen == nil, isFilled || (session.isRead && window.grid.images.count == 0) {
                report.screen = start.duration(to: .now)
            }
            if report.screen != nil, session.isRead, window.isComplete { report.all = start.duration(to: .now) }
            report.wrong += window.wrongImages()
            report.note(window.loadingCells())
            if window.viewer.hasStandIn { report.hasLargeStandIn = true }
            await FrameTurn.next()
        }
        report.images = window.grid.images.all.count
        report.longestBatch = session.longestBatch
        report.peak = PeakMemory.sinceReset
        if viewing, report.images > 0 {
            if !window.isViewing { window.open(0) }
            while !window.viewer.isComplete || window.viewer.panel.text.isEmpty, .now < limit {
                if window.viewer.hasStandIn { report.hasLargeStandIn = true }
                await FrameTurn.next()
            }
            report.facts = window.viewer.panel.text
        }
        // Keys start at the image that has the focus. It gets that some frames after the images are found.
        let focus = min(limit, .now + .seconds(5))
        while !keys.isEmpty, !window.isViewing, window.grid.images.count > 0, window.grid.focused == nil, .now < focus {
            await FrameTurn.next()
        }
        for name in keys.split(separator: ",") {
            let parts = name.split(separator: "+")
            let key = gdk_keyval_from_name(String(parts.last ?? ""))
            let place = window.viewer.place
            _ = window.press(
                KeyTable.Chord(key, isControl: parts.first == "Control", isShift: parts.contains("Shift")))
            let end = min(limit, .now + .seconds(20))
            // A slide show that a key begins goes on by one image.
            while window.viewer.isSliding && window.viewer.place == place
                || !(window.isViewing ? window.viewer.isSettled : window.isComplete), .now < end
            {
                await FrameTurn.next()
            }
        }
        await window.saving?.value
        report.right = window.rightImages()
        report.failed = window.grid.failed.count
        if window.isViewing { report.line = window.viewer.text }
        (report.selected, report.selection) = (window.grid.selected.count, window.selection.text)
        // The last images need time to be painted and to fade in.
        let faded = ContinuousClock.now + GalleryGrid.fade + GalleryGrid.fade
        while .now < faded { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        report.outside = window.cellsOutside()
        return report
    }

    private mutating func note(_ loading: (standIns: Int, busy: [Duration])) {
        standIns = max(standIns, loading.standIns)
        busy = max(busy, loading.busy.count)
        busyAfter = (loading.busy + [busyAfter].compactMap(\.self)).min()
    }

    var json: JSONValue {
        .object([
            ("windowMs", .milliseconds(window)), ("screenMs", .milliseconds(screen)), ("allMs", .milliseconds(all)),
            ("images", .int(images)), ("right", .int(right)), ("wrongImages", .int(wrong)),
            ("longestBatchMs", .milliseconds(longestBatch)), ("peakMiB", .mebibytes(peak)),
            ("facts", .string(facts)), ("failed", .int(failed)), ("line", .string(line)),
            ("standIns", .int(standIns)), ("busy", .int(busy)), ("busyAfterMs", .milliseconds(busyAfter)),
            ("largeStandIn", .bool(hasLargeStandIn)), ("selected", .int(selected)), ("selection", .string(selection)),
            ("outside", .int(outside)),
        ])
    }
}
#endif

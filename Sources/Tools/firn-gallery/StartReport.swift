#if GTK
import ArgumentParser
import CGTK4
import FirnReport

/// Measures the times until a window opens, fills its first screen and has found all images.
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
    /// The report contains the times, the failed images on the screen and the line below the large image; the maximum
    /// number of visible cells with a stand-in and with a sign of loading (`busy`), and the shortest time after which a
    /// sign appeared; whether the large image had a stand-in; the number of selected images and the text of the
    /// selection bar; and the number of cells outside the window that count as visible.
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
        let (longestBatch, peak) = (session.longestBatch, PeakMemory.sinceReset)
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
        await window.saving?.value
        let (right, failed) = (window.rightImages(), window.grid.failed.count)
        let line = window.isViewing ? window.viewer.text : ""
        let (selected, selection) = (window.grid.selected.count, window.selection.text)
        // The last images still have to be painted and fade in.
        let faded = ContinuousClock.now + GalleryGrid.fade + GalleryGrid.fade
        while .now < faded { await FrameTurn.next() }
        await FrameTurn.frame(of: window.widget)
        return .object([
            ("windowMs", .milliseconds(opened)), ("screenMs", .milliseconds(screen)), ("allMs", .milliseconds(all)),
            ("images", .int(images)), ("right", .int(right)), ("wrongImages", .int(wrong)),
            ("longestBatchMs", .milliseconds(longestBatch)), ("peakMiB", .mebibytes(peak)),
            ("facts", .string(facts)), ("failed", .int(failed)), ("line", .string(line)),
            ("standIns", .int(standIns)), ("busy", .int(busy)), ("busyAfterMs", .milliseconds(busyAfter)),
            ("largeStandIn", .bool(hasLargeStandIn)), ("selected", .int(selected)), ("selection", .string(selection)),
            ("outside", .int(window.cellsOutside())),
        ])
    }

    private static func press(
        _ keys: String, in window: GalleryWindow, until limit: ContinuousClock.Instant
    ) async {
        // Keys start at the focused image, which gets the focus some frames after the images are found.
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
            // A slide show that a key starts advances by one image.
            while window.viewer.isSliding && window.viewer.place == place
                || !(window.isViewing ? window.viewer.isSettled : window.isComplete), .now < end
            {
                await FrameTurn.next()
            }
        }
    }
}
#endif

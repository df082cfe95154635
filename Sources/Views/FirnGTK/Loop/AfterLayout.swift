#if GTK
import CGTK4

/// Runs closures once the layout that caused them is over.
///
/// GTK gives widgets their sizes, and maps and unmaps some, while it lays out a window. Code of a program that runs
/// then and changes a widget, such as the text of a label, leaves that widget and those around it without a place: GTK
/// does not paint them. So whatever a widget does for its program because of its size or visibility runs here.
///
/// Order: closures run in the order of their calls, before the next frame. The priority is between those of GTK's
/// layout and of the frame clock, so frames without a pause between them do not starve the closures, and a closure
/// that causes another layout runs at most once for each frame.
@MainActor
enum AfterLayout {
    /// After `GTK_PRIORITY_RESIZE` (110), before `GDK_PRIORITY_REDRAW` (120).
    private static let priority: Int32 = 115
    private static var waiting: [@MainActor () -> Void] = []

    /// Calls `body` soon. A closure that refers to a widget's object does so weakly: the widget may end before.
    static func run(_ body: @escaping @MainActor () -> Void) {
        waiting.append(body)
        guard waiting.count == 1 else { return }
        LoopCall.soon(priority) { runAll() }
    }

    private static func runAll() {
        // Order: removed first, since a closure may run a loop of its own, as a dialog does.
        let closures = waiting
        waiting = []
        for closure in closures { closure() }
    }
}
#endif

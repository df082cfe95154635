/// Which of an application's windows can be seen, and when it goes to the background. A value: events in, decisions
/// out.
///
/// The application is in the background while it has no visible window, after it has had one: it is not before its
/// first window appears.
struct WindowVisibility<Window: Hashable> {
    /// What follows from an event.
    enum Change: Equatable {
        case none
        /// The last visible window has gone.
        case hidden
        /// A window is visible again, or for the first time.
        case shown
    }

    private var visible: Set<Window> = []

    /// Whether a window can be seen.
    var isVisible: Bool { !visible.isEmpty }

    /// A window has become visible or invisible, or is as it was.
    mutating func set(_ window: Window, isVisible isSeen: Bool) -> Change {
        let before = isVisible
        if isSeen { visible.insert(window) } else { visible.remove(window) }
        return change(from: before)
    }

    /// Only these windows are left.
    mutating func keep(_ windows: Set<Window>) -> Change {
        let before = isVisible
        visible.formIntersection(windows)
        return change(from: before)
    }

    private func change(from before: Bool) -> Change {
        before == isVisible ? .none : isVisible ? .shown : .hidden
    }
}

#if GTK
/// Tracks which windows are visible, and decides when the application enters the background. A value: the input is
/// events, the output is decisions.
///
/// The application is in the background while it has no visible window, but not before its first window has appeared.
struct WindowVisibility<Window: Hashable> {
    /// The decision that follows from an event.
    enum Change: Equatable {
        case none
        /// The last visible window is no longer visible.
        case hidden
        /// A window has become visible, and none was before.
        case shown
    }

    private var visible: Set<Window> = []

    /// True if any window is visible.
    var isVisible: Bool { !visible.isEmpty }

    /// Records whether a window is visible now.
    mutating func set(_ window: Window, isVisible isSeen: Bool) -> Change {
        let before = isVisible
        if isSeen { visible.insert(window) } else { visible.remove(window) }
        return change(from: before)
    }

    /// Removes all windows but these.
    mutating func keep(_ windows: Set<Window>) -> Change {
        let before = isVisible
        visible.formIntersection(windows)
        return change(from: before)
    }

    private func change(from before: Bool) -> Change {
        before == isVisible ? .none : isVisible ? .shown : .hidden
    }
}
#endif

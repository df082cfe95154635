#if GTK
/// Tracks which windows are visible, and decides when the application enters the background. A value: the input is
/// events, the output is decisions.
///
/// The application is in the background while it has no visible window, but not before its first window has appeared.
struct WindowVisibility<Window: Hashable> {
    private var visible: Set<Window> = []

    /// True if any window is visible.
    var isVisible: Bool { !visible.isEmpty }

    /// Records whether a window is visible now.
    ///
    /// - Returns: whether any window is visible; `nil` if that has not changed.
    mutating func set(_ window: Window, isVisible isSeen: Bool) -> Bool? {
        let before = isVisible
        if isSeen { visible.insert(window) } else { visible.remove(window) }
        return isVisible == before ? nil : isVisible
    }

    /// Removes all windows but these.
    ///
    /// - Returns: whether any window is visible; `nil` if that has not changed.
    mutating func keep(_ windows: Set<Window>) -> Bool? {
        let before = isVisible
        visible.formIntersection(windows)
        return isVisible == before ? nil : isVisible
    }
}
#endif

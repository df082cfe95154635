import FirnSync

/// A progress bar on a terminal. Prints nothing elsewhere.
///
/// The bar is one line at the bottom, redrawn at most about twenty times a second with a single write, and removed at
/// the end. May be used from any thread.
package final class ProgressBar: Sendable {
    private struct State {
        var line: ProgressLine
        /// The time of the last drawing.
        var drawn: ContinuousClock.Instant?
        var isShown: Bool
    }

    private static let erase = "\u{1B}[K"

    private let state: Locked<State>
    private let terminal: Terminal
    private let start = ContinuousClock.now

    /// Creates a bar for `total` units of work.
    ///
    /// - Parameter isShown: whether it is drawn. Default: only on a terminal.
    package init(_ label: String, total: Int, terminal: Terminal = Terminal(), isShown: Bool? = nil) {
        self.terminal = terminal
        let line = ProgressLine(label: label, done: 0, total: total, elapsed: .zero)
        state = Locked(State(line: line, isShown: isShown ?? terminal.isInteractive))
        advance(by: 0)
    }

    // Order: lines are written under the lock, so that none is drawn over a newer one.

    package func advance(by count: Int = 1, failed: Int = 0) {
        state.withLock { state in
            state.line.done += count
            state.line.failed += failed
            draw(&state, isDue: state.line.done >= state.line.total)
        }
    }

    package func setBytes(_ bytes: Int) {
        state.withLock { state in
            state.line.bytes = bytes
            draw(&state, isDue: false)
        }
    }

    /// Writes a line above the bar, escaped.
    package func note(_ text: String) {
        state.withLock { state in
            terminal.write("\(state.isShown ? "\r\(ProgressBar.erase)" : "")\(TerminalText.escaped(text))\n")
            draw(&state, isDue: true)
        }
    }

    /// Removes the bar. Further calls draw nothing.
    package func finish() {
        state.withLock { state in
            if state.isShown { terminal.write("\r\(ProgressBar.erase)") }
            state.isShown = false
        }
    }

    private func draw(_ state: inout State, isDue: Bool) {
        guard state.isShown else { return }
        let now = ContinuousClock.now
        if let drawn = state.drawn, !isDue, drawn.duration(to: now) < .milliseconds(50) { return }
        state.drawn = now
        state.line.elapsed = start.duration(to: now)
        // The last column stays free: writing there makes some terminals wrap.
        let text = state.line.text(width: terminal.columns - 1, unicode: terminal.showsUnicode)
        terminal.write("\r\(text)\(ProgressBar.erase)")
    }
}

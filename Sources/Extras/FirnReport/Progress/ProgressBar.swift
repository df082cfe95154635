import FirnSync

/// A progress bar on a terminal. Prints nothing elsewhere.
///
/// The bar is one line at the bottom, redrawn at most about twenty times a second with a single write, and removed when
/// the work is finished. May be used from any thread.
package final class ProgressBar: Sendable {
    private let state: Locked<ProgressDrawing>

    /// Creates a bar for `total` units of work.
    ///
    /// - Parameter isShown: whether it is drawn. Default: if the output is a terminal.
    package init(_ label: String, total: Int, terminal: Terminal = Terminal(), isShown: Bool? = nil) {
        let line = ProgressLine(label: label, done: 0, total: total, elapsed: .zero)
        state = Locked(ProgressDrawing(line: line, terminal: terminal, isShown: isShown ?? terminal.isInteractive))
        advance(by: 0)
    }

    // Order: lines are written under the lock, or an older one could be drawn over a newer one.

    package func advance(by count: Int = 1, failed: Int = 0, bytes: Int = 0) {
        state.withLock { $0.advance(count, failed, bytes) }
    }

    package func setBytes(_ bytes: Int) {
        state.withLock { $0.setBytes(bytes) }
    }

    /// Writes a line above the bar, escaped.
    package func note(_ text: String) {
        state.withLock { $0.note(text) }
    }

    /// Removes the bar. Further calls draw nothing.
    package func finish() {
        state.withLock { $0.finish() }
    }
}

/// The state of a ``ProgressBar``: the line, and the time of its last drawing.
private struct ProgressDrawing {
    private static let erase = "\u{1B}[K"

    var line: ProgressLine
    let terminal: Terminal
    private let start = ContinuousClock.now
    var drawn: ContinuousClock.Instant?
    var isShown: Bool

    mutating func advance(_ count: Int, _ failed: Int, _ bytes: Int) {
        line.done += count
        line.failed += failed
        line.bytes += bytes
        draw(isDue: line.done >= line.total)
    }

    mutating func setBytes(_ bytes: Int) {
        line.bytes = bytes
        draw(isDue: false)
    }

    mutating func note(_ text: String) {
        let line = TerminalText.escaped(text)
        terminal.write(isShown ? "\r\(ProgressDrawing.erase)\(line)\n" : "\(line)\n")
        draw(isDue: true)
    }

    mutating func finish() {
        if isShown { terminal.write("\r\(ProgressDrawing.erase)") }
        isShown = false
    }

    private mutating func draw(isDue: Bool) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, !isDue, drawn.duration(to: now) < .milliseconds(50) { return }
        drawn = now
        line.elapsed = start.duration(to: now)
        // The last column stays free: writing there makes some terminals wrap.
        let text = line.text(width: terminal.columns - 1, unicode: terminal.showsUnicode)
        terminal.write("\r\(text)\(ProgressDrawing.erase)")
    }
}

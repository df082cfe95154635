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

/// The text of a progress bar. A pure value.
struct ProgressLine: Sendable {
    /// The description of the work, before the bar.
    var label: String
    /// The finished units, with failed ones.
    var done: Int
    var total: Int
    var failed = 0
    /// The bytes so far; 0 omits them.
    var bytes = 0
    var elapsed: Duration

    /// Units per second; 0 at the start.
    var rate: Double {
        let seconds = elapsed.seconds
        return seconds > 0.05 ? Double(done) / seconds : 0
    }

    /// The remaining time at the rate so far; `nil` without a rate, or at the end.
    var remaining: Duration? {
        guard done > 0, done < total, rate > 0 else { return nil }
        return .seconds(Double(total - done) / rate)
    }

    /// Returns the line, at most `width` columns wide. The least important parts are omitted first: bytes, then rate,
    /// then the bar.
    func text(width: Int, unicode: Bool) -> String {
        let digits = String(total).count
        let counted = String(done)
        let padding = String(repeating: " ", count: max(0, digits - counted.count))
        let percent = total > 0 ? min(100, done * 100 / total) : 100
        let head = label.isEmpty ? "" : "\(label) "
        var tail = " \(percent < 10 ? "  " : percent < 100 ? " " : "")\(percent) %  \(padding)\(counted)/\(total)"
        if failed > 0 { tail += "  \(failed) failed" }
        var extras: [String] = []
        if let remaining { extras.append("\(ProgressLine.clock(remaining)) left") }
        if rate > 0 { extras.append("\(FixedText.text(rate, decimals: rate < 9.95 ? 1 : 0))/s") }
        if bytes > 0 { extras.append(ByteText.text(bytes)) }
        for extra in extras where head.count + tail.count + extra.count + 2 + 10 <= width { tail += "  \(extra)" }
        let room = min(width - head.count - tail.count, 40)
        if room >= 5 { return head + bar(room, unicode) + tail }
        return String((head + tail.dropFirst()).prefix(max(0, width)))
    }

    private func bar(_ width: Int, _ unicode: Bool) -> String {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        guard unicode else {
            let full = Int(saturating: share * Double(width - 2))
            return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: width - 2 - full) + "]"
        }
        // Eighths of a column, so that the bar grows smoothly.
        let eighths = Int(saturating: share * Double(width * 8))
        let (full, part) = eighths.quotientAndRemainder(dividingBy: 8)
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let drawn = String(repeating: "█", count: full) + parts[part]
        return drawn + String(repeating: "░", count: width - full - (part > 0 ? 1 : 0))
    }

    /// Returns `0:07`, `12:30`, `2:05:00`: usually of constant width, so that the line does not jump.
    private static func clock(_ duration: Duration) -> String {
        let seconds = Int(saturating: min(duration.seconds, 1e8).rounded(.up))
        let end = DurationText.twoDigits(seconds % 60)
        if seconds < 3600 { return "\(seconds / 60):\(end)" }
        return "\(seconds / 3600):\(DurationText.twoDigits(seconds / 60 % 60)):\(end)"
    }
}

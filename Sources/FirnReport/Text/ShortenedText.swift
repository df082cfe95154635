/// Text that had to lose its middle to fit.
package enum ShortenedText {
    /// `text`, or its start and end with dots between, so that `fits` is true.
    ///
    /// The end keeps a little less than the start: file names differ there too, and the extension is there.
    /// - Parameter fits: whether a text is short enough; a text that fits must fit when characters are taken away.
    package static func middle(_ text: String, fits: (String) -> Bool) -> String {
        if fits(text) { return text }
        let characters = Array(text)
        var low = 0
        var high = characters.count
        var best = ""
        // Invariant: `low` kept characters fit or were not tried, `high` and more do not fit.
        while low < high {
            let kept = (low + high) / 2
            let head = (kept + 1) / 2
            let candidate = String(characters.prefix(head)) + "..." + String(characters.suffix(kept - head))
            if fits(candidate) {
                best = candidate
                low = kept + 1
            } else {
                high = kept
            }
        }
        return best
    }

    /// `text` in at most `limit` characters.
    package static func middle(_ text: String, limit: Int) -> String {
        middle(text) { $0.count <= limit }
    }
}

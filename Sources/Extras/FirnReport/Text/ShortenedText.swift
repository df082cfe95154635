enum ShortenedText {
    /// The maximum length of measured text, in bytes.
    private static let maximumBytes = 2_000

    /// Returns `text`, or its start and end with an ellipsis between them, so that `fits` returns true.
    ///
    /// The end is slightly shorter than the start. File names differ there, too, and it has the extension.
    /// - Parameter fits: whether a text is short enough. If a text fits, every shorter one must fit.
    static func middle(_ text: String, fits: (String) -> Bool) -> String {
        // Measuring takes time for each character, and longer text never fits.
        let text = QuotedText.of(text, bytes: maximumBytes)
        if fits(text) { return text }
        let characters = Array(text)
        var low = 0
        var high = characters.count
        var best = ""
        // Invariant: `low` kept characters fit or were not tried, `high` and more do not fit.
        while low < high {
            let length = (low + high) / 2
            let head = (length + 1) / 2
            let candidate = String(characters.prefix(head)) + "..." + String(characters.suffix(length - head))
            if fits(candidate) {
                best = candidate
                low = length + 1
            } else {
                high = length
            }
        }
        return best
    }
}

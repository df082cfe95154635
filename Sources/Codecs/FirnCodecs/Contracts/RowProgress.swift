/// The result of one call of ``RowSource/read(_:into:bytesPerRow:rows:)``.
struct RowProgress {
    enum State {
        /// There is more to decode. If no row is done, this is a pause in which the caller may check for cancellation.
        case more
        /// All bytes received so far are used up.
        case needsBytes
        /// The image is complete.
        case end
    }

    /// The rows done in this call; if the source is whole: the rows complete from the top.
    var rows: Int
    var state: State
}

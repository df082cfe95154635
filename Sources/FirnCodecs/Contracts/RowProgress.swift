/// What one call of ``RowSource/read(_:into:bytesPerRow:rows:)`` did.
struct RowProgress {
    enum State {
        /// There is more to decode. With no row done it is a pause, in which one may look whether the image is still wanted.
        case more
        /// The bytes so far are used up.
        case needsBytes
        /// The image is complete.
        case end
    }

    /// Rows done in this call; where the source is whole: rows complete from the top.
    var rows: Int
    var state: State
}

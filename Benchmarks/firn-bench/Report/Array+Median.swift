extension [Double] {
    /// The middle value, or the larger of the two in the middle; NaN if there are no values.
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}

// A transfer under way gives way to others, and goes on.
//
// Order: calls come from several threads. Of two calls the one with the higher number counts, whichever comes first.
extension Transfer {
    /// Stops reading the body; keeps the connection.
    func pause(number: UInt64) {}

    /// Gives the connection up and keeps the bytes, if the rest can be asked for later; does nothing otherwise.
    func release(number: UInt64) {}

    /// Goes on from the byte reached.
    func resume(number: UInt64) {}

    /// Tells the loader that the transfer has become more or less urgent.
    func prioritise(_ level: Int, number: UInt64) {}
}

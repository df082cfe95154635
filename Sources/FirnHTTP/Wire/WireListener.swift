/// Told of what happens to its request on the connection. All calls come on the loader's event loop.
protocol WireListener: AnyObject {
    /// The request is being sent.
    func sending(over connection: ConnectionFacts)
    /// Bytes of the body have come, as they are on the line.
    func receivedOnLine(_ count: Int)
}

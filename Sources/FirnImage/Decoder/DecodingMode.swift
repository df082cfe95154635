/// When a frame's pixels are computed.
package enum DecodingMode: String, Hashable, Sendable {
    /// At once, on the calling thread: to be called on a worker, so that drawing finds pixels ready.
    case asynchronous
    /// When the pixels are first asked for, on the thread that asks: for a frame that may never be drawn.
    case synchronous
}

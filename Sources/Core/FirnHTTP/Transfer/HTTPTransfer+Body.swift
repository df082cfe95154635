import FirnData
import FirnSync
import FoundationEssentials

// The bytes of the body, raw or decompressed.
extension HTTPTransfer {
    /// Decompressed bytes that are delivered before other events are handled. A pause takes effect after them.
    private static let bytesInTurn = 256 << 10

    /// Starts the body of a response that is delivered.
    func beginBody(_ headers: HTTPHeaderFields) {
        if idle.isCounting {
            speed.start(MonotonicClock.now())
            engine.idleChecks.watch(self)
        }
        guard engine.allowance.decompresses else { return }
        let coding = ContentCoding(headers)
        if coding == .gzip || coding == .deflate { decoder = ContentDecoder(coding) }
    }

    func received(_ bytes: Data) {
        touch(bytes.count)
        guard let decoder else { return deliver(bytes) }
        if let error = expansion.take(received: bytes.count) { return end(error) }
        decoder.feed(bytes)
        isDecompressing = !decompress(decoder)
        if isDecompressing, !isPaused { takeTurn() }
    }

    /// Delivers decompressed bytes, up to a bound.
    ///
    /// - Returns: whether nothing is left, or the receiver paused.
    private func decompress(_ decoder: ContentDecoder) -> Bool {
        var delivered = 0
        do throws(DataLoadingError) {
            while receive != nil, let piece = try decoder.next() {
                if let error = expansion.take(produced: piece.count) { throw error }
                deliver(piece)
                delivered += piece.count
                guard delivered < HTTPTransfer.bytesInTurn, !isPaused else { return receive == nil }
            }
        } catch { end(error) }
        return true
    }

    /// Continues with received bytes, after the other works of the thread.
    func takeTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        engine.thread.execute {
            self.hasTurn = false
            self.decompressMore()
        }
    }

    private func decompressMore() {
        guard isDecompressing, !isPaused, receive != nil, let decoder else { return }
        guard decompress(decoder) else {
            if !isPaused { takeTurn() }
            return
        }
        isDecompressing = false
        if !isPaused { exchange?.pump() }
    }

    private func deliver(_ data: Data) {
        if let error = body.take(data.count) { return end(error) }
        recorder.recordDelivery(data.count)
        receive?(.chunk(data))
    }

    func finished() {
        exchange = nil
        do throws(DataLoadingError) {
            try decoder?.finish()
            end(body.end())
        } catch { end(error) }
    }
}

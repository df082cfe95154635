import FirnData
import FoundationEssentials
import NIOCore

// The bytes of the body, raw or decompressed.
extension HTTPTransfer {
    /// Decompressed bytes that are delivered before other events are handled. A pause takes effect after them.
    private static let bytesInTurn = 256 << 10

    /// Starts the body of a response that is delivered.
    func beginBody(_ headers: HTTPHeaderFields) {
        if idle.isCounting {
            speed.start(.now())
            engine.idleChecks.watch(self)
        }
        guard engine.allowance.decompresses else { return }
        let coding = ContentCoding(headers)
        if coding == .gzip || coding == .deflate { decoder = ContentDecoder(coding) }
    }

    func received(_ bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        let count = bytes.readableBytes
        touch(count)
        guard count > 0 else { return nil }
        guard let decoder else {
            deliver(Data(sharing: bytes))
            return backPressure()
        }
        if let error = expansion.take(received: count) {
            end(error)
            return nil
        }
        decoder.feed(bytes)
        return decompress(decoder) ? backPressure() : pauseSender()
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

    /// Applies back-pressure until the received bytes are decompressed.
    private func pauseSender() -> EventLoopFuture<Void> {
        isDecompressing = true
        let promise = eventLoop.makePromise(of: Void.self)
        resumption = promise
        if !isPaused { takeTurn() }
        return promise.futureResult
    }

    /// Continues with received bytes, after the other events of the loop.
    func takeTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        eventLoop.execute {
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
        if !isPaused { release() }
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

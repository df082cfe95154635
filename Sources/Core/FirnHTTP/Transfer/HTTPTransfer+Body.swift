import FirnData
import FirnSync
import FoundationEssentials

// The bytes of the body, raw or decompressed.
extension HTTPTransfer {
    /// The number of decompressed bytes before other events are handled. A pause takes effect after them.
    private static let bytesInTurn = 256 << 10

    /// Starts the body of a delivered response.
    func beginBody(_ headers: HTTPHeaderFields) {
        if idle.isCounting {
            speed.start(MonotonicClock.now())
            engine.idleChecks.watch(self)
        }
        let coding = ContentCoding(headers, decodesContent: engine.settings.decompresses)
        if case .steps(let steps) = coding { decoders = steps.reversed().map { ContentDecoder($0) } }
    }

    func received(_ bytes: Data) {
        touch(bytes.count)
        guard let first = decoders.first else { return deliver(bytes) }
        if let error = expansion.take(received: bytes.count) { return end(error) }
        first.feed(bytes)
        isDecompressing = !decompress()
        if isDecompressing, !isPaused { takeTurn() }
    }

    /// Delivers decompressed bytes, up to a bound on the output of all decoders together.
    ///
    /// - Returns: whether nothing is left or the receiver paused.
    private func decompress() -> Bool {
        var produced = 0
        // The last decoder first, so that the output of the others is not buffered.
        var index = decoders.count - 1
        do throws(DataLoadingError) {
            while receive != nil, index >= 0 {
                guard let piece = try decoders[index].next() else {
                    index -= 1
                    continue
                }
                if let error = expansion.take(produced: piece.count) { throw error }
                if index == decoders.count - 1 {
                    deliver(piece)
                } else {
                    index += 1
                    decoders[index].feed(piece)
                }
                produced += piece.count
                guard produced < HTTPTransfer.bytesInTurn, !isPaused else { return receive == nil }
            }
        } catch { end(error) }
        return true
    }

    /// Continues with received bytes, after other work of the thread.
    func takeTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        engine.thread.execute {
            self.hasTurn = false
            self.decompressMore()
        }
    }

    private func decompressMore() {
        guard isDecompressing, !isPaused, receive != nil else { return }
        guard decompress() else {
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
            for decoder in decoders { try decoder.finish() }
            end(body.end())
        } catch { end(error) }
    }
}

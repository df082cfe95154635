import Dispatch
import Firn
import FoundationEssentials

/// A simulated mobile network: a delay before every response, and a bandwidth that all transfers share evenly.
///
/// Safety: all state is changed on `queue`, which is serial.
final class PhoneLine: DataLoading, @unchecked Sendable {
    static let latency = 0.15
    /// 8 Mbit/s.
    static let bytesPerSecond = 1_000_000.0
    private static let tick = 0.004

    private struct Transfer {
        let body: Data
        let response: DataResponse
        let receive: @Sendable (DataEvent) -> Void
        /// The time when the response arrives.
        let responseTime: Double
        /// Index of the next byte.
        var sent: Int
        var hasResponded = false
        var isPaused = false
    }

    private let queue = DispatchQueue(label: "phone line")
    private let timer: any DispatchSourceTimer
    private let body: @Sendable (String) -> Data?
    private var transfers: [Int: Transfer] = [:]
    private var number = 0
    private var last = Stopwatch.wallNow
    /// Bytes of bodies that the line has carried.
    private var total = 0

    /// - Parameter body: returns the body of an address.
    init(body: @escaping @Sendable (String) -> Data?) {
        self.body = body
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: PhoneLine.tick, leeway: .milliseconds(1))
        timer.setEventHandler { [weak self] in self?.advance() }
        timer.resume()
    }

    deinit { timer.cancel() }

    var bytes: Int { queue.sync { total } }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        queue.sync {
            number += 1
            if let body = body(request.url) {
                let start = PhoneLine.start(of: request, in: body)
                transfers[number] = Transfer(
                    body: body[start...], response: PhoneLine.response(to: request, from: start, of: body),
                    receive: receive, responseTime: Stopwatch.wallNow + PhoneLine.latency, sent: start)
            } else {
                receive(.end(DataLoadingError(.status(404), "there is no \(request.url)")))
            }
            return Handle(line: self, number: number)
        }
    }

    /// Returns the first byte that a range request asks for, when a download is resumed.
    private static func start(of request: DataRequest, in body: Data) -> Int {
        guard let range = request.headers["Range"], range.hasPrefix("bytes=") else { return 0 }
        let text = range.dropFirst("bytes=".count).prefix { $0.isNumber }
        return Int(text).map { min($0, body.count) } ?? 0
    }

    private static func response(to request: DataRequest, from start: Int, of body: Data) -> DataResponse {
        var headers = HTTPHeaderFields()
        headers["ETag"] = "\"1\""
        headers["Accept-Ranges"] = "bytes"
        if start > 0 { headers["Content-Range"] = "bytes \(start)-\(body.count - 1)/\(body.count)" }
        return DataResponse(
            url: request.url, status: start > 0 ? 206 : 200, headers: headers, expectedLength: body.count - start)
    }

    private func advance() {
        let now = Stopwatch.wallNow
        defer { last = now }
        for (number, transfer) in transfers where !transfer.hasResponded && transfer.responseTime <= now {
            transfers[number]?.hasResponded = true
            transfer.receive(.response(transfer.response))
        }
        let moving = transfers.filter { $0.value.hasResponded && !$0.value.isPaused }.sorted { $0.key < $1.key }
        guard !moving.isEmpty else { return }
        let share = Int((now - last) * PhoneLine.bytesPerSecond) / moving.count
        for (number, transfer) in moving {
            let end = min(transfer.body.endIndex, transfer.sent + share)
            total += end - transfer.sent
            if end > transfer.sent { transfer.receive(.chunk(transfer.body[transfer.sent..<end])) }
            transfers[number]?.sent = end
            guard end == transfer.body.endIndex else { continue }
            transfers[number] = nil
            transfer.receive(.end(nil))
        }
    }

    private struct Handle: DataTransfer {
        let line: PhoneLine
        let number: Int

        func cancel() {
            line.queue.async { [line, number] in
                let transfer = line.transfers.removeValue(forKey: number)
                transfer?.receive(.end(DataLoadingError(.cancelled, "cancelled")))
            }
        }

        func pause() { line.queue.async { [line, number] in line.transfers[number]?.isPaused = true } }

        func resume() { line.queue.async { [line, number] in line.transfers[number]?.isPaused = false } }
    }
}

import FirnData
import FirnSync
import FoundationEssentials

/// A loader that computes its answers and records the requests.
final class AnsweringLoader: DataLoading {
    struct Answer {
        var status = 200
        var headers = HTTPHeaderFields()
        var data = Data()
        var body: String {
            get { String(decoding: data, as: UTF8.self) }
            set { data = Data(newValue.utf8) }
        }
        /// The error at the end; `hasResponse` is false if the response itself fails.
        var end: DataLoadingError?
        var hasResponse = true

        init(
            status: Int = 200, headers: HTTPHeaderFields = HTTPHeaderFields(), body: String = "",
            end: DataLoadingError? = nil,
            hasResponse: Bool = true
        ) {
            self.status = status
            self.headers = headers
            self.end = end
            self.hasResponse = hasResponse
            data = Data(body.utf8)
        }
    }

    private struct Handle: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }

    private let answer: @Sendable (DataRequest, Int) -> Answer
    private let record = Locked<[DataRequest]>([])
    /// The answers held back; `nil` while answers are delivered at once.
    private let held = Locked<[@Sendable () -> Void]?>(nil)

    /// - Parameter answer: receives the request and the number of earlier requests.
    init(_ answer: @escaping @Sendable (DataRequest, Int) -> Answer) { self.answer = answer }

    var requests: [DataRequest] { record.withLock { $0 } }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let number = record.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        let answer = answer(request, number)
        let isHeld = held.withLock { held in
            held?.append { AnsweringLoader.deliver(answer, to: request, receive) }
            return held != nil
        }
        if !isHeld { AnsweringLoader.deliver(answer, to: request, receive) }
        return Handle()
    }

    /// Holds answers back from now on.
    func hold() { held.withLock { $0 = [] } }

    /// Delivers the answers that were held back, on this thread.
    func release() {
        let all = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for deliver in all { deliver() }
    }

    private static func deliver(
        _ answer: Answer, to request: DataRequest, _ receive: @Sendable (DataEvent) -> Void
    ) {
        if answer.hasResponse {
            let response = DataResponse(
                url: request.url, status: answer.status, headers: answer.headers, expectedLength: answer.data.count)
            receive(.response(response))
            if !answer.data.isEmpty { receive(.chunk(answer.data)) }
        }
        receive(.end(answer.end))
    }

    static let refused = Answer(end: DataLoadingError(.connection, "refused"), hasResponse: false)
}

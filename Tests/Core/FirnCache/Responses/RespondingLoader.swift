import FirnData
import FirnSync
import FoundationEssentials

/// A loader that computes its responses and records the requests.
final class RespondingLoader: DataLoading {
    struct Response {
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

    private let respond: @Sendable (DataRequest, Int) -> Response
    private let record = Locked<[DataRequest]>([])
    /// The responses held back; `nil` while responses are delivered at once.
    private let held = Locked<[@Sendable () -> Void]?>(nil)

    /// The number of requests, each time that there is one more.
    let counts: AsyncStream<Int>
    private let line: AsyncStream<Int>.Continuation

    /// - Parameter respond: computes the response from the request and the number of earlier requests.
    init(_ respond: @escaping @Sendable (DataRequest, Int) -> Response) {
        self.respond = respond
        (counts, line) = AsyncStream.makeStream(of: Int.self)
    }

    /// Waits until there were so many requests. One waits at a time.
    func wait(forRequests count: Int) async {
        for await number in counts where number >= count { return }
    }

    var requests: [DataRequest] { record.withLock { $0 } }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let number = record.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        let response = respond(request, number)
        let isHeld = held.withLock { held in
            held?.append { RespondingLoader.deliver(response, to: request, receive) }
            return held != nil
        }
        line.yield(number + 1)
        if !isHeld { RespondingLoader.deliver(response, to: request, receive) }
        return DeafTransfer()
    }

    /// Holds responses back from now on.
    func hold() { held.withLock { $0 = [] } }

    /// Delivers the responses that were held back, on this thread.
    func release() {
        let all = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for deliver in all { deliver() }
    }

    /// Ends the hold, and returns a closure that delivers the responses that were held back.
    func takeHeld() -> () -> Void {
        let all = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        return { for deliver in all { deliver() } }
    }

    private static func deliver(
        _ response: Response, to request: DataRequest, _ receive: @Sendable (DataEvent) -> Void
    ) {
        if response.hasResponse {
            let head = DataResponse(
                url: request.url, status: response.status, headers: response.headers,
                expectedLength: response.data.count)
            receive(.response(head))
            if !response.data.isEmpty { receive(.chunk(response.data)) }
        }
        receive(.end(response.end))
    }

    static let refused = Response(end: DataLoadingError(.connection, "refused"), hasResponse: false)
}

import FirnSync
import Foundation
import FoundationNetworking

/// Converts the two callbacks of a Nuke loader into the events of a transfer.
///
/// Invariant: `end` is passed on once, and nothing after it.
final class CallbackRelay: DataTransfer {
    private struct State {
        var hasResponded = false
        var hasEnded = false
        var task: (any Cancellable)?
    }

    private let state = Locked(State())
    private let pass: @Sendable (DataEvent) -> Void

    init(_ pass: @escaping @Sendable (DataEvent) -> Void) { self.pass = pass }

    /// Starts a transfer with Foundation's request; ends it if the address is not a URL.
    ///
    /// - Parameter start: starts the loader's task, which reports to the relay.
    static func transfer(
        _ request: DataRequest, _ receive: @escaping @Sendable (DataEvent) -> Void,
        start: (URLRequest, CallbackRelay) -> any Cancellable
    ) -> any DataTransfer {
        let relay = CallbackRelay(receive)
        if let sent = URLRequest(request) {
            relay.started(start(sent, relay))
        } else {
            relay.end(DataLoadingError(.badAddress, "the address is no URL"))
        }
        return relay
    }

    /// Stores the loader's task, or cancels it if the transfer was cancelled meanwhile.
    func started(_ task: any Cancellable) {
        let isOver = state.withLock { state in
            if !state.hasEnded { state.task = task }
            return state.hasEnded
        }
        if isOver { task.cancel() }
    }

    func receive(_ data: Data, _ response: URLResponse) {
        let isFirst: Bool? = state.withLock { state in
            if state.hasEnded { return nil }
            defer { state.hasResponded = true }
            return !state.hasResponded
        }
        guard let isFirst else { return }
        if isFirst { pass(.response(DataResponse(response))) }
        if !data.isEmpty { pass(.chunk(data)) }
    }

    func complete(_ error: (any Error)?) { end(error.map { CallbackRelay.error($0) }) }

    func end(_ error: DataLoadingError?) {
        let (isFirst, task) = state.withLock { state in
            defer {
                state.hasEnded = true
                state.task = nil
            }
            return (!state.hasEnded, state.task)
        }
        // Order: the loader's task is released without the lock.
        _ = task
        if isFirst { pass(.end(error)) }
    }

    func cancel() {
        let task = state.withLock { $0.task }
        task?.cancel()
        end(DataLoadingError(.cancelled, "the transfer was cancelled"))
    }

    // The loader is not paused; its bytes are still delivered.
    func pause() {}
    func resume() {}

    /// Returns the error with the cause that Foundation's error states.
    private static func error(_ error: any Error) -> DataLoadingError {
        if let error = error as? DataLoadingError { return error }
        let cause: DataLoadingError.Cause
        switch (error as? URLError)?.code {
        case .timedOut: cause = .timeout
        case .cancelled: cause = .cancelled
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost, .notConnectedToInternet:
            cause = .connection
        case .badURL, .unsupportedURL: cause = .badAddress
        default: cause = error is CancellationError ? .cancelled : .other
        }
        return DataLoadingError(cause, "\(error)", underlying: error)
    }
}

import Firn

/// A loader whose transfers end only when they are cancelled.
struct NeverLoader: DataLoading {
    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer { Waiting(receive: receive) }

    private struct Waiting: DataTransfer {
        let receive: @Sendable (DataEvent) -> Void
        func cancel() { receive(.end(DataLoadingError(.cancelled, "cancelled"))) }
        func pause() {}
        func resume() {}
    }
}

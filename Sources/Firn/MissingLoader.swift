#if !HTTP
import FirnData

/// The loader of a build without HTTP: every transfer ends with an error that says what to do.
struct MissingLoader: DataLoading {
    private struct Ended: DataTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
    }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        receive(
            .end(
                DataLoadingError(
                    .badAddress,
                    "HTTP is not in this build; enable the package trait HTTP, or set a loader of your own")))
        return Ended()
    }
}
#endif

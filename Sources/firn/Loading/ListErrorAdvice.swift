import Firn

/// Adds advice to the error of a forbidden address from a list: the option that allows it.
struct ListErrorAdvice: DataLoading {
    private let loader: DataLoader

    init(_ loader: DataLoader) { self.loader = loader }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard request.isUntrusted else { return loader.startLoading(request, receive: receive) }
        return loader.startLoading(request) { event in
            if case .end(let error?) = event, error.cause == .forbidden {
                let message = "\(error.message); --trust-lists allows it for addresses of lists"
                receive(.end(DataLoadingError(.forbidden, message, retryAfter: error.retryAfter, underlying: error)))
            } else {
                receive(event)
            }
        }
    }

    func completed(_ request: DataRequest) -> DataRequest { loader.completed(request) }
}

import Firn

/// Loads addresses of lists with a loader that connects to public addresses only, since lists may be untrusted.
final class LoadGuard: ImagePipeline.Delegate {
    /// Marks requests whose address is from a list.
    static let key: ImageRequest.UserInfoKey = "firn.listed"

    private let loader: GuardedLoader

    /// - Parameter settings: what is allowed besides.
    init(_ settings: DataLoader.Configuration) {
        var settings = settings
        settings.network = .guarded
        loader = GuardedLoader(DataLoader(configuration: settings))
    }

    func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
        request.userInfo[LoadGuard.key] == nil ? pipeline.configuration.dataLoader : loader
    }
}

/// Says of an address that it may not talk to which option would let it.
private struct GuardedLoader: DataLoading {
    private let loader: DataLoader

    init(_ loader: DataLoader) { self.loader = loader }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        loader.startLoading(request) { event in
            if case .end(let error?) = event, error.cause == .forbidden {
                let message = "\(error.message); --trust-lists allows it for addresses of lists"
                receive(.end(DataLoadingError(.forbidden, message, retryAfter: error.retryAfter)))
            } else {
                receive(event)
            }
        }
    }
}

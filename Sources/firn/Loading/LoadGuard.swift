import Firn

/// Loads addresses of lists by a loader that keeps to the public Internet: nobody knows who has written them.
final class LoadGuard: ImagePipeline.Delegate {
    /// Marks requests whose address stands in a list.
    static let key: ImageRequest.UserInfoKey = "firn.listed"

    private let loader: DataLoader

    /// - Parameter settings: what is allowed besides.
    init(_ settings: DataLoader.Configuration) {
        var settings = settings
        settings.network = .guarded
        loader = DataLoader(configuration: settings)
    }

    func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
        request.userInfo[LoadGuard.key] == nil ? pipeline.configuration.dataLoader : loader
    }
}

public import FirnImage

extension ImageRequest {
    /// The key of a value in ``userInfo``: that of a container.
    public typealias UserInfoKey = ImageContainer.UserInfoKey

    /// A value of ``userInfo`` that requests a size.
    package protocol ThumbnailSize: Sendable {
        /// The requested size.
        var targetSize: TargetSize { get }
    }

    /// The effect of values in ``userInfo`` on a request.
    struct UserInfoOverrides: Equatable {
        let imageID: String?
        let targetSize: TargetSize?

        init(_ info: [UserInfoKey: any Sendable]) {
            imageID = info.isEmpty ? nil : info[.imageIdKey] as? String
            targetSize = info.isEmpty ? nil : (info[.thumbnail] as? any ThumbnailSize)?.targetSize
        }
    }
}

extension ImageContainer.UserInfoKey {
    /// A `String` in the values of a request that takes the place of the address in cache keys: setting it sets
    /// ``ImageRequest/imageID``.
    public static let imageIdKey: ImageContainer.UserInfoKey = "firn.imageID"
    /// The key of ``ImageRequest/ThumbnailSize``; its public name is in FirnMigration.
    package static let thumbnail: ImageContainer.UserInfoKey = "firn.thumbnail"
}

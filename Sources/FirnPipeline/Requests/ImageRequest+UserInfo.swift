package import FirnImage

extension ImageRequest {
    /// Names a value in ``userInfo``.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Creates a key of this name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// Creates a key of this name.
        public init(stringLiteral name: String) { rawValue = name }

        /// A `String` that takes the place of the address in cache keys: setting it sets ``ImageRequest/imageID``.
        public static let imageIdKey: UserInfoKey = "firn.imageID"
        /// The key of ``ThumbnailSize``; its public name is in FirnMigration.
        package static let thumbnail: UserInfoKey = "firn.thumbnail"
    }

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

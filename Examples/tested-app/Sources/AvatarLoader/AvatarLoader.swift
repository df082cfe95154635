public import Firn

/// Loads the avatars of users, and a drawn one for users who have none.
public struct AvatarLoader: Sendable {
    private let pipeline: ImagePipeline
    private let fallback: Bitmap

    /// - Parameter fallback: the avatar of users who have none.
    public init(pipeline: ImagePipeline, fallback: Bitmap) {
        self.pipeline = pipeline
        self.fallback = fallback
    }

    /// The avatar of a user, 64 x 64 pixels.
    public func avatar(of user: String) async throws -> Bitmap {
        let request = ImageRequest(
            url: "https://example.org/avatars/\(user)", targetSize: TargetSize(64))
        do {
            return try await pipeline.image(for: request)
        } catch {
            guard error.status == 404 else { throw error }
            return fallback
        }
    }
}

public import Firn

/// Loads users' avatars, with a fallback for users without one.
public struct AvatarLoader: Sendable {
    private let pipeline: ImagePipeline
    private let fallback: Bitmap

    /// - Parameter fallback: the avatar for users without one.
    public init(pipeline: ImagePipeline, fallback: Bitmap) {
        self.pipeline = pipeline
        self.fallback = fallback
    }

    /// Returns the avatar of a user, 64 x 64 pixels.
    public func avatar(of user: String) async throws -> Bitmap {
        let request = ImageRequest(
            url: "https://example.org/avatars/\(user)", targetSize: TargetSize(64))
        do {
            return try await pipeline.image(for: request)
        } catch {
            guard error.statusCode == 404 else { throw error }
            return fallback
        }
    }
}

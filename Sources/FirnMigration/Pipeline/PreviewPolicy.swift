public import Firn
import Foundation

extension ImagePipeline {
    /// Which previews are made is not chosen for each request.
    @available(
        *, unavailable,
        message: "previews are made only while a subscriber reads them; isProgressiveDecodingEnabled turns them off"
    )
    public enum PreviewPolicy: Sendable {
        /// Previews of the image as far as it has come.
        case incremental
        /// The thumbnail inside of the file.
        case thumbnail
        /// No previews.
        case disabled

        /// Returns Nuke's policy.
        public static func `default`(for data: Data) -> PreviewPolicy { .incremental }
    }
}

import Firn
import FirnTelemetry
import FoundationEssentials

/// The code of pages that are written beside README.
enum Readme {
    static func network() -> ImagePipeline {
        // snippet.readme-network
        let folder = "/home/me/.cache/images"
        let pipeline = ImagePipeline {
            $0.dataLoader = .http { $0.network = .guarded }  // public addresses only, checked where the connection goes
            $0.dataCache = .disk(path: folder)  // originals, and the first bytes of those that still arrive
            $0.bitmapStore = .disk(path: folder)  // opt-in: decoded images, mapped instead of decoded
            $0.dataCachePolicy = .automatic  // which images are kept on disk as they were made
            $0.observers = [TimelineRecorder()]  // FirnTelemetry
        }
        // snippet.end
        return pipeline
    }
}

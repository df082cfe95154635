#if GTK
import Firn
import FirnGTK

extension FirnPicture {
    /// Retries a failed request.
    func retryIfFailed() {
        if binding.phase.error != nil { retry() }
    }
}
#endif

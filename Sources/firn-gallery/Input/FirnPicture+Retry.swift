import Firn
import FirnGTK

extension FirnPicture {
    /// Tries again, if there is a failure to be seen.
    func retryIfFailed() {
        if binding.phase.error != nil { retry() }
    }
}

import FirnData

/// A transfer that ended before it started.
struct UnstartedTransfer: DataTransfer {
    func cancel() {}
    func pause() {}
    func resume() {}
}

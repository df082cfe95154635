import FirnData

/// A transfer that ended before it began.
struct UnstartedTransfer: DataTransfer {
    func cancel() {}
    func pause() {}
    func resume() {}
}

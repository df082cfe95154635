// Comparing and matching errors.
extension ImageLoadingError {
    /// The error of a cancelled task, for matching and comparing. All cancelled errors are equal, regardless of their
    /// source.
    ///
    /// ```swift
    /// switch error {
    /// case .cancelled: print("not wanted any more")
    /// default: print(error)
    /// }
    /// ```
    ///
    /// It is not Swift's `CancellationError`: `catch is CancellationError` does not see it.
    public static let cancelled = ImageLoadingError.cancelled(source: "")

    /// Returns the error itself if it is one of a pipeline; otherwise `nil`.
    ///
    /// For a `catch` where Swift does not infer the error's type, as in closures of several statements: there `error`
    /// is `any Error` and has no ``fault``.
    public init?(_ error: any Error) {
        guard let error = error as? ImageLoadingError else { return nil }
        self = error
    }

    /// Returns whether fault, stage, source, message and status are equal, or both errors are ``cancelled``. The
    /// underlying errors, which need not be comparable, do not count.
    public static func == (a: ImageLoadingError, b: ImageLoadingError) -> Bool {
        if a.isCancelled || b.isCancelled { return a.isCancelled == b.isCancelled }
        return a.fault == b.fault && a.stage == b.stage && a.source == b.source && a.message == b.message
            && a.status == b.status
    }

    /// Hashes the properties that `==` compares, except the status.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
        guard !isCancelled else { return }
        hasher.combine(stage)
        hasher.combine(source)
        hasher.combine(message)
    }
}

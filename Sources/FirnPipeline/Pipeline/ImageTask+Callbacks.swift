import Synchronization

extension ImageTask {
    /// Calls handlers on an executor: `progress` never after `completion`, `completion` exactly once.
    func call(
        on executor: CallbackExecutor, progress: (@Sendable (Progress) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) {
        let isOver = Flag()
        listen(
            .callback { event in
                executor.run {
                    switch event {
                    case .progress(let value): if !isOver.isSet { progress?(value) }
                    case .preview: break
                    case .finished(let result):
                        isOver.set()
                        completion(result)
                    }
                }
            })
    }

    /// Set once by the executor that the callbacks run on, which runs them one after the other.
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}

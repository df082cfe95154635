extension ImageTask {
    /// Calls handlers on an executor: `progress` never after `completion`, `completion` exactly once.
    func call(
        on executor: CallbackExecutor, progress: (@Sendable (Progress) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) {
        let interest: EventQueue.Interest = progress == nil ? [] : .progress
        listen(
            .handler(
                TaskHandler(on: executor, interest, asksForPreviews: false) { event in
                    switch event {
                    case .progress(let value): progress?(value)
                    case .preview: break
                    case .finished(let result): completion(result)
                    }
                }))
    }

    /// Calls a handler with every event, previews among them, on an executor; the end comes last and exactly once.
    package func call(on executor: CallbackExecutor, events: @escaping @Sendable (Event) -> Void) {
        listen(.handler(TaskHandler(on: executor, .everything, asksForPreviews: true, events)))
    }
}

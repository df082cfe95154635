extension ImageTask {
    /// Calls handlers on an executor: `progress` never after `completion`, `completion` exactly once.
    func call(
        on executor: CallbackExecutor, progress: (@Sendable (Progress) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void
    ) {
        let interest: EventQueue.Interest = progress == nil ? [] : .progress
        listen(
            .feed(
                EventFeed(interest, on: executor, asksForPreviews: false) { event in
                    switch event {
                    case .progress(let value): progress?(value)
                    case .preview: break
                    case .finished(let result): completion(result)
                    }
                }))
    }

    /// Calls a handler with every event, previews among them, on an executor; the end comes last and exactly once.
    package func call(on executor: CallbackExecutor, events: @escaping @Sendable (Event) -> Void) {
        listen(.feed(EventFeed(.everything, on: executor, events)))
    }

    /// Calls a handler with every event on the thread where it happens, and requests previews. None is made while
    /// `isFull` returns true: the handler has not used the last one yet.
    package func onEvent(
        isFull: @escaping @Sendable () -> Bool, _ body: @escaping @Sendable (Event) -> Void
    ) {
        listen(.feed(EventFeed(.everything, body, isFull: isFull)))
    }

    /// Calls a handler with the end only, on the thread where it happens.
    package func onEnd(_ body: @escaping @Sendable (Result<ImageResponse, ImageLoadingError>) -> Void) {
        call(on: .immediate, progress: nil, completion: body)
    }
}

/// Somebody who waits for what happens to a task.
enum TaskListener: Sendable {
    case waiter(UnsafeContinuation<Result<ImageResponse, ImageLoadingError>, Never>)
    case callback(@Sendable (ImageTask.Event) -> Void)
    /// Is told of everything there is, but lets nothing be made for it: a delegate.
    case observer(@Sendable (ImageTask.Event) -> Void)
    /// Is told of the end only.
    case ending(@Sendable (Result<ImageResponse, ImageLoadingError>) -> Void)
    case events(AsyncStream<ImageTask.Event>.Continuation)
    case progress(AsyncStream<ImageTask.Progress>.Continuation)
    case previews(AsyncStream<ImageResponse>.Continuation)

    /// Whether more than the end is wanted.
    var isWatching: Bool {
        switch self {
        case .waiter, .ending: false
        case .observer, .callback, .events, .progress, .previews: true
        }
    }

    /// Passes on an event that is not the end.
    func pass(_ event: ImageTask.Event) {
        switch (self, event) {
        case (.events(let stream), _): stream.yield(event)
        case (.callback(let call), _), (.observer(let call), _): call(event)
        case (.progress(let stream), .progress(let progress)): stream.yield(progress)
        case (.previews(let stream), .preview(let preview)): stream.yield(preview)
        default: break
        }
    }

    /// Passes on the end.
    func end(_ result: Result<ImageResponse, ImageLoadingError>) {
        switch self {
        case .waiter(let continuation): continuation.resume(returning: result)
        case .ending(let call): call(result)
        case .callback(let call), .observer(let call): call(.finished(result))
        case .events(let stream):
            stream.yield(.finished(result))
            stream.finish()
        case .progress(let stream): stream.finish()
        case .previews(let stream): stream.finish()
        }
    }
}

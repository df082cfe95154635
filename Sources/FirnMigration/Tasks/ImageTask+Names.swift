public import Firn

extension ImageTask {
    /// ``/FirnPipeline/ImageTask/id``.
    public var taskId: Int64 { id }

    /// ``/FirnPipeline/ImageTask/state``.
    public var status: State { state }

    /// ``/FirnPipeline/ImageTask/isCancelled``.
    public var isCancelling: Bool { isCancelled }
}

extension ImageTask.Event {
    /// A cancelled task ends like any other.
    @available(*, unavailable, message: "match .finished(.failure(let error)) whose error.fault is .cancelled")
    public static var cancelled: ImageTask.Event { .progress(ImageTask.Progress(completed: 0, total: nil)) }
}

/// Events are matched by their cases; only `cancelled` is compared.
@available(*, unavailable, message: "match .finished(.failure(let error)) whose error.fault is .cancelled")
public func ~= (pattern: ImageTask.Event, event: ImageTask.Event) -> Bool { false }

/// A task can be awaited.
@available(*, unavailable, renamed: "ImageTask")
public typealias AsyncImageTask = ImageTask

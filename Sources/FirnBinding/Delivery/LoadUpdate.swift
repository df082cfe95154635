import FirnPipeline

/// The events of a request since the mailbox was last emptied.
struct LoadUpdate: Sendable {
    var progress: ImageTask.Progress?
    var preview: ImageResponse?
    var result: Result<ImageResponse, ImageLoadingError>?

    init(_ event: ImageTask.Event) {
        switch event {
        case .progress(let value): progress = value
        case .preview(let response): preview = response
        case .finished(let value): result = value
        }
    }

    /// Merges later events: only the latest value of each kind counts.
    mutating func merge(_ later: LoadUpdate) {
        progress = later.progress ?? progress
        preview = later.preview ?? preview
        result = later.result ?? result
        if let result, !result.isRefusal { preview = nil }
    }
}

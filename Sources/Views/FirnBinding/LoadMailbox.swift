import FirnSync

/// Collects events from the engine's threads for the drawing thread, with one call for all events until the mailbox is
/// emptied.
final class LoadMailbox: Sendable {
    private struct State {
        var deliveries: [Delivery] = []
        var isCalled = false
    }

    private let state = Locked(State())
    private let frames: any FrameScheduling
    private let call: @MainActor @Sendable () -> Void

    init(frames: any FrameScheduling, call: @escaping @MainActor @Sendable () -> Void) {
        self.frames = frames
        self.call = call
    }

    func post(_ load: BindingLoad, _ event: ImageTask.Event) {
        guard load.wants(event) else { return }
        let calls = state.withLock { state in
            state.deliveries.append(Delivery(load: load, update: LoadUpdate(event)))
            defer { state.isCalled = true }
            return !state.isCalled
        }
        if calls { frames.soon(call) }
    }

    /// Removes and returns all events, in order. The next post calls the drawing thread again.
    func empty() -> [Delivery] {
        state.withLock { state in
            defer { state = State() }
            return state.deliveries
        }
    }
}

/// Events of a load for the drawing thread.
struct Delivery: Sendable {
    let load: BindingLoad
    var update: LoadUpdate
}

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

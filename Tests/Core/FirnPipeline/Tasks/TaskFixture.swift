import FirnImage
import FirnSync
import FoundationEssentials

@testable import FirnPipeline

/// A task without any work behind it.
struct TaskFixture {
    let owner = IdleOwner()
    let task: ImageTask

    init() { task = ImageTask(request: ImageRequest(url: "https://example.org/a"), owner: owner) }

    func progress(_ completed: Int) { task.pass(.progress(ImageTask.Progress(completed: completed, total: 100))) }

    /// Passes a preview of this width.
    func preview(_ width: Int) throws { task.pass(.preview(try TaskFixture.response(width, isPreview: true))) }

    func finish() throws { task.end(.success(try TaskFixture.response(9, isPreview: false))) }

    static func response(_ width: Int, isPreview: Bool) throws -> ImageResponse {
        let image = try Bitmap(size: PixelSize(width: width, height: 1)) { _ in }
        return ImageResponse(
            container: ImageContainer(image: image, isPreview: isPreview),
            request: ImageRequest(url: "https://example.org/a"))
    }

    /// Returns an event as a word: `p5` progress, `v5` a preview five wide, `image`, `failure`.
    static func word(_ event: ImageTask.Event) -> String {
        switch event {
        case .progress(let progress): "p\(progress.completed)"
        case .preview(let preview): "v\(preview.image.size.width)"
        case .finished(.success): "image"
        case .finished(.failure): "failure"
        }
    }
}

final class IdleOwner: TaskOwner {
    let latest = Locked<ImageResponse?>(nil)

    func taskCancelled(_ task: ImageTask) {}
    func progress(of task: ImageTask) -> ImageTask.Progress? { nil }
    func taskIsWatched(_ task: ImageTask) {
        if let preview = latest.withLock({ $0 }) { task.pass(.preview(preview)) }
    }
    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority) {}
    func task(_ task: ImageTask, isPaused: Bool) {}
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) {}
}

/// An executor that runs its calls when the test says so.
final class HeldExecutor: Sendable {
    private let calls = Locked<[@Sendable () -> Void]>([])

    var executor: CallbackExecutor { CallbackExecutor { call in self.calls.withLock { $0.append(call) } } }
    var count: Int { calls.withLock { $0.count } }

    func run() {
        let calls = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in calls { call() }
    }
}

/// The work of a job. Each case belongs to one stage, except `fetch`, which reads first and then transfers.
///
/// The large values of rare cases are indirect, so that a waiting job is small.
enum JobWork: Sendable {
    /// `read`: uses an image of the memory cache, to which the steps are applied.
    indirect case useMemoryImage(ImageContainer)
    /// `read`: looks for a processed image under this key of the data cache.
    case readProcessed(key: String)
    /// `read`, then `transfer` if no file or cache has the bytes.
    case fetch
    /// `transfer`: writes the bytes into a file.
    case download(FileDownload)
    /// `transfer`: a closure of the request makes the image.
    case makeImage(ImageClosureRun)
    /// `decode`: whole or arriving bytes.
    case decode(RequestStep, CancellationFlag)
    case process(Box<any ImageProcessing>, CancellationFlag)
    /// `store`: writes to a disk cache.
    case store(PendingStore)
    /// `preview`: shows a stale image while its source is revalidated.
    indirect case preview(StalePreview)
}

enum JobInput {
    case bytes(FetchedBytes)
    /// The bytes of a transfer that has not ended.
    case arriving(ArrivingBytes)
    /// An image, and the bytes that it was made of.
    case image(ImageResponse.Origin, FetchedBytes)
}

/// The result of a job: the result of its tasks, or the input of the next step.
enum JobProduct {
    case bytes(FetchedBytes)
    case image(ImageResponse.Origin, FetchedBytes)
    /// Bytes that a decode has verified to be an image. Its pixels are dropped.
    case proof(FetchedBytes)

    /// Creates the product of an image that was made of `bytes`.
    ///
    /// - Parameter progress: how many of the bytes had arrived; `nil` for all of them.
    static func image(
        _ container: consuming ImageContainer, of bytes: FetchedBytes, progress: ImageTask.Progress? = nil
    ) -> JobProduct {
        .image(bytes.origin(container, progress: progress), bytes)
    }

    /// The bytes of the product, or those that its image was made of.
    var source: FetchedBytes {
        switch self {
        case .bytes(let bytes), .image(_, let bytes), .proof(let bytes): bytes
        }
    }
}

enum StoredContent: Sendable {
    /// The original, as the source sent it.
    case original(FetchedBytes)
    /// An image that is encoded for the data cache, and the bytes that it was made of.
    case encoded(ImageResponse.Origin, FetchedBytes)
    case bitmap(ImageResponse.Origin)
    /// The first bytes of a body, or an instruction to drop them.
    case part(PartialPart)
    /// Removes the images of sources that a reload has replaced.
    case outdated

    var isOriginal: Bool { if case .original = self { true } else { false } }

    /// The bytes that an entry of the data cache is made of; `nil` for other contents.
    var source: FetchedBytes? {
        switch self {
        case .original(let bytes), .encoded(_, let bytes): bytes
        case .bitmap, .part, .outdated: nil
        }
    }

    /// The number of bytes of memory that the store holds until it is done.
    var byteCount: Int {
        switch self {
        case .original(let bytes): bytes.count
        case .encoded(let origin, _), .bitmap(let origin): origin.container.image.cost
        case .part(.keep(let segment)): segment.count
        case .part, .outdated: 0
        }
    }
}

/// A stale image to show while its source is revalidated.
struct StalePreview: Sendable {
    let bytes: StaleBytes
    let audience: [ImageTask]
    /// Set once the transfer is over.
    let cancellation: CancellationFlag
}

/// A job that was taken from the table to run.
struct StartedJob {
    let ticket: JobTicket
    let job: EngineJob
    let stage: JobStage
    /// True if this continues a paused transfer; see `JobTable.Start`.
    var isResumption = false
    var number: UInt64 = 0
    /// The tasks that wait for a lookup at its start, with their routes.
    var waiting: [RoutedTask] = []
    /// The task that waits for the job, if it is the only one and ends with the job. Without caches of images, `nil`.
    var sole: SoleTask?
    /// True for a transfer that follows a lookup at once.
    var followsLookup = false
    /// The most missing bytes of an unwatched transfer that reports its arriving bytes only once.
    var quietBytes = 0
    /// The priority of the job at its start.
    var level = ImageRequest.Priority.normal.rawValue
    /// The numbers of the tasks that wait for the job; none without observers.
    var tasks: PipelineEvent.TaskNumbers = []
}

/// The only task that waits for a job, which is its last step.
struct SoleTask {
    let task: ImageTask
    /// The number of tasks that had joined the job.
    let joins: UInt32
}

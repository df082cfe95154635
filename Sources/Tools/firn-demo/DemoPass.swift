import Firn
import FirnReport

/// Performs all requests of a pass and measures them.
struct DemoPass: Sendable {
    let name: String
    let requests: [DemoRequest]
    let pipeline: ImagePipeline

    /// Concurrent requests: about four screens of cells on a phone.
    private static let window = 36

    struct Result: Sendable {
        var name: String
        var images = 0
        var failures: [Int: String] = [:]
        var times: [Duration] = []
        var statistics = PipelineStatistics()
        var wall = Duration.zero
        var peakMemory = 0
        /// The processor time of this process when the first image was there.
        var timeToFirst: Duration?
        var cells: [Int: (image: Bitmap, time: Duration)] = [:]
    }

    private typealias Outcome = Swift.Result<(image: Bitmap, time: Duration), ImageLoadingError>

    func run() async -> Result {
        let before = pipeline.statistics
        PeakMemory.reset()
        let bar = ProgressBar(name, total: requests.count)
        let start = ContinuousClock.now
        var result = Result(name: name)
        await withTaskGroup(of: (DemoRequest, Outcome).self) { group in
            var waiting = requests[...]
            for request in waiting.prefix(DemoPass.window) { add(request, to: &group) }
            waiting = waiting.dropFirst(DemoPass.window)
            for await (request, outcome) in group {
                if let next = waiting.popFirst() { add(next, to: &group) }
                note(outcome, of: request, in: &result, bar)
                bar.setBytes(pipeline.statistics.bytesLoaded - before.bytesLoaded)
            }
        }
        result.wall = start.duration(to: .now)
        await pipeline.flush()
        bar.finish()
        result.peakMemory = PeakMemory.sinceReset
        result.statistics = pipeline.statistics.since(before)
        return result
    }

    private func add(_ request: DemoRequest, to group: inout TaskGroup<(DemoRequest, Outcome)>) {
        group.addTask {
            let start = ContinuousClock.now
            do throws(ImageLoadingError) {
                let image = try await pipeline.image(for: request.request)
                return (request, .success((image, start.duration(to: .now))))
            } catch {
                return (request, .failure(error))
            }
        }
    }

    private func note(_ outcome: Outcome, of request: DemoRequest, in result: inout Result, _ bar: ProgressBar) {
        switch outcome {
        case .success((let image, let time)):
            result.images += 1
            if result.timeToFirst == nil { result.timeToFirst = ProcessorTime.now }
            result.times.append(time)
            if request.isForSheet { result.cells[request.image] = (image, time) }
            bar.advance()
        case .failure(let error):
            if result.failures.updateValue(error.message, forKey: request.image) == nil {
                bar.note("firn-demo: \(error)")
            }
            bar.advance(failed: 1)
        }
    }
}

extension PipelineStatistics {
    fileprivate func since(_ earlier: PipelineStatistics) -> PipelineStatistics {
        var difference = self
        difference.memoryHits -= earlier.memoryHits
        difference.diskHits -= earlier.diskHits
        difference.transfers -= earlier.transfers
        difference.bytesLoaded -= earlier.bytesLoaded
        difference.coalesced -= earlier.coalesced
        difference.decodes -= earlier.decodes
        return difference
    }
}

/// A request of a pass: an image at a size.
struct DemoRequest: Sendable {
    let image: Int
    let address: String
    let size: PixelSize
    /// True if the result goes on the sheet.
    let isForSheet: Bool

    var request: ImageRequest { ImageRequest(url: address, targetSize: TargetSize(size)) }

    /// Returns the requests of a pass, as a scrolled list makes them: every image as a thumbnail, in a cell and large,
    /// some more than once, as reused cells and two views of one list do.
    static func pass(_ addresses: [String], cell: PixelSize) -> [DemoRequest] {
        let thumbnail = PixelSize(96)
        let large = PixelSize(1024)
        return addresses.enumerated().flatMap { index, address in
            [(cell, true), (thumbnail, false), (thumbnail, false), (large, false), (cell, false), (thumbnail, false)]
                .map { DemoRequest(image: index, address: address, size: $0.0, isForSheet: $0.1) }
        }
    }
}

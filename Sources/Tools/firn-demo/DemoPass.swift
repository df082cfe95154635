import Firn
import FirnReport

/// The results of a pass.
struct DemoPass: Sendable {
    let name: String
    var images = 0
    /// The reasons of failures, by image.
    var failures: [Int: String] = [:]
    var times: [Duration] = []
    var statistics = PipelineStatistics()
    var wall = Duration.zero
    var peakMemory = 0
    /// The processor time of this process when the first image was loaded.
    var timeToFirst: Duration?
    /// The images for the sheet.
    var cells: [Int: (image: Bitmap, time: Duration)] = [:]

    /// Concurrent requests: about four screens of cells on a phone.
    private static let window = 36

    /// A request for an image at a size, and whether the result is drawn on the contact sheet.
    private typealias Request = (image: Int, request: ImageRequest, isForSheet: Bool)
    private typealias Outcome = (Request, Result<(image: Bitmap, time: Duration), ImageLoadingError>)

    /// Performs all requests of a pass and measures them.
    ///
    /// The requests are those of a scrolled list: each image as a thumbnail, in a cell and large, some repeatedly, as
    /// by reused cells and two views of one list.
    init(_ name: String, _ addresses: [String], cell: PixelSize, _ pipeline: ImagePipeline) async {
        self.name = name
        let thumbnail = PixelSize(96)
        let sizes = [cell, thumbnail, thumbnail, PixelSize(1024), cell, thumbnail]
        var waiting = addresses.enumerated().flatMap { image, address in
            sizes.enumerated().map { number, size -> Request in
                (image, ImageRequest(url: address, targetSize: TargetSize(size)), number == 0)
            }
        }[...]
        let before = pipeline.statistics
        PeakMemory.reset()
        let bar = ProgressBar(name, total: waiting.count)
        let start = ContinuousClock.now
        await withTaskGroup(of: Outcome.self) { group in
            func startNext() {
                guard let next = waiting.popFirst() else { return }
                group.addTask {
                    let start = ContinuousClock.now
                    do throws(ImageLoadingError) {
                        let image = try await pipeline.image(for: next.request)
                        return (next, .success((image, start.duration(to: .now))))
                    } catch {
                        return (next, .failure(error))
                    }
                }
            }
            for _ in 0..<DemoPass.window { startNext() }
            for await (request, result) in group {
                startNext()
                switch result {
                case .success(let (image, time)):
                    images += 1
                    timeToFirst = timeToFirst ?? ProcessorTime.now
                    times.append(time)
                    if request.isForSheet { cells[request.image] = (image, time) }
                    bar.advance()
                case .failure(let error):
                    let isFirst = failures.updateValue(error.message, forKey: request.image) == nil
                    if isFirst { bar.note("firn-demo: \(error)") }
                    bar.advance(failed: 1)
                }
                bar.setBytes(pipeline.statistics.bytesLoaded - before.bytesLoaded)
            }
        }
        wall = start.duration(to: .now)
        await pipeline.flush()
        bar.finish()
        peakMemory = PeakMemory.sinceReset
        statistics = pipeline.statistics
        for count in [\PipelineStatistics.memoryHits, \.diskHits, \.transfers, \.bytesLoaded, \.coalesced] {
            statistics[keyPath: count] -= before[keyPath: count]
        }
    }
}

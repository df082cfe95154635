import Firn
import FirnFigures

/// Runs all measurements, part by part.
@MainActor
struct Measurements {
    let options: BenchOptions

    /// - Returns: the figures of the requested parts, plus others if a part can only be measured as a whole.
    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        // Runs only if it is requested by name, because it compiles for a quarter of an hour.
        if options.only.contains(where: { "\($0).".hasPrefix("build.") }), let benchmark = BuildBenchmark() {
            figures += benchmark.run()
        }
        // Order: the folder comes first, while this process is small, because a child starts with its parent's peak
        // memory.
        if wants("large") { figures += LargeImageBenchmark(rounds: options.rounds).run() }
        if options.photographs.isEmpty {
            print("no photographs; name a folder with PHOTOGRAPHS=…")
        } else {
            figures += ofPhotographs()
        }
        let rounds = options.rounds
        if wants("cores") { figures += CoresBenchmark(photographs: options.photographs, rounds: rounds).run(wants) }
        // Order: before the parts that fill this process with threads and memory, which slow every later wake-up.
        // Runs off the main actor: this measures the engine, not the hops to a main thread.
        let requests = RequestBenchmark(count: 20_000, rounds: 5) { [options] in options.wantsAny(of: $0) }
        figures += try await Task.detached { [requests] in try await requests.run() }.value
        if wants("bitmaps") {
            figures += try BitmapBenchmark(photograph: options.photographs.first, rounds: rounds).run()
        }
        // A separate part within the processors.
        let quality = "processors.ssim"
        if options.only.isEmpty
            || options.only.contains(where: { "\($0).".hasPrefix("processors.") && !$0.hasPrefix(quality) })
        {
            figures += try ProcessingBenchmark(rounds: rounds).run()
        }
        if wants(quality) { figures += try ProcessingQuality().run() }
        if wants("arrival") { figures += ArrivalBenchmark(rounds: rounds).run() }
        if wants("network") { figures += await HTTPBenchmark(rounds: rounds).run() }
        if wants("network.first") { figures += FirstImageBenchmark.figures() }
        if wants("disk") { figures += try DiskBenchmark(rounds: rounds).run() }
        if wants("reuse"), let benchmark = ReuseBenchmark() { figures += await benchmark.run() }
        return figures
    }

    private func ofPhotographs() -> [Figure] {
        var figures: [Figure] = []
        let rounds = options.rounds
        // "folder.png" is a separate folder, and not a figure of the first.
        if options.only.isEmpty || options.only.contains(where: { $0 == "folder" || isOfJPEGs($0) }) {
            figures += FolderBenchmark(name: "folder", format: .jpeg, images: options.photographs, rounds: rounds)
                .run()
        }
        for format in [ImageFormat.png, .webp] where wants("folder.\(format)") {
            guard let folder = MadeFolder.converted(options.photographs, to: format) else { continue }
            figures += FolderBenchmark(
                name: "folder.\(format)", format: format, images: folder.images, rounds: rounds
            ).run()
            folder.remove()
        }
        figures += ofMadeJPEGs()
        if options.wantsAny(of: "regions") {
            figures += RegionBenchmark(photograph: options.photographs[0], rounds: rounds).run()
        }
        if options.wantsAny(of: "isolation") {
            figures += IsolationBenchmark(photographs: options.photographs, rounds: rounds).run()
        }
        if options.wantsAny(of: "server") {
            figures += ServerBenchmark(photographs: options.photographs, rounds: min(rounds, 3)).run()
        }
        if wants("format") { figures += FormatBenchmark(photograph: options.photographs[0], rounds: rounds).run() }
        if wants("encoders") {
            figures += EncoderBenchmark(photographs: options.photographs, rounds: min(rounds, 3)).run()
        }
        if wants("gallery") {
            figures += GalleryBenchmark(images: options.photographs, rounds: min(rounds, 3)).run()
        }
        return figures
    }

    /// Measures folders of JPEGs that are made of the photographs: each a part of its own, as `folder.png` is.
    private func ofMadeJPEGs() -> [Figure] {
        var figures: [Figure] = []
        let (photographs, rounds) = (options.photographs, options.rounds)
        for (name, progressive) in [("large", 0), ("mixed", 7)] where wants("folder.\(name)") {
            guard
                let folder = MadeFolder.large(
                    photographs, name: name, count: Measurements.largeImages, progressive: progressive)
            else { continue }
            figures += FolderBenchmark(
                name: "folder.\(name)", format: .jpeg, images: folder.images, rounds: rounds
            ).run()
            folder.remove()
        }
        if wants("folder.shared"),
            let folder = MadeFolder.large(photographs, name: "shared", count: 8, restarts: true)
        {
            figures += SharedImageBenchmark(images: folder.images, rounds: rounds).run()
            folder.remove()
        }
        if wants("folder.small"),
            let folder = MadeFolder.small(photographs, count: SmallFilesBenchmark.count)
        {
            figures += SmallFilesBenchmark(images: folder.images, rounds: rounds).run()
            folder.remove()
        }
        return figures
    }

    /// The images of a folder of large ones.
    private static let largeImages = 28

    private func isOfJPEGs(_ name: String) -> Bool {
        name.hasPrefix("folder.")
            && !["png", "webp", "large", "mixed", "shared", "small"].contains { "\(name).".hasPrefix("folder.\($0).") }
    }

    private func wants(_ part: String) -> Bool { options.wantsAny(of: part) }
}

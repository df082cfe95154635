import Firn
import FirnFigures

/// Everything that is measured, part after part.
@MainActor
struct Measurements {
    let options: BenchOptions

    /// - Returns: the figures of the parts asked for; some more, where a part measures only all of it.
    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        // Asked for by name only: it compiles for a quarter of an hour.
        if options.only.contains(where: { "\($0).".hasPrefix("build.") }), let benchmark = BuildBenchmark() {
            figures += benchmark.run()
        }
        // Order: the folder comes first, while this process is small: a child starts with its parent's peak memory.
        if wants("large") { figures += LargeImageBenchmark(rounds: options.rounds).run() }
        if options.photographs.isEmpty {
            print("no photographs; name a folder with PHOTOGRAPHS=…")
        } else {
            figures += ofPhotographs()
        }
        let rounds = options.rounds
        // Order: before the parts that fill this process with threads and memory, which every wake-up pays for afterwards.
        // Off the main actor: the engine is measured, not the hops to a main thread.
        let requests = RequestBenchmark(count: 20_000, rounds: 5) { [options] in options.wantsAny(of: $0) }
        figures += try await Task.detached { [requests] in try await requests.run() }.value
        if wants("bitmaps") {
            figures += try BitmapBenchmark(photograph: options.photographs.first, rounds: rounds).run()
        }
        // A part of its own within the processors.
        let quality = "processors.ssim"
        if options.only.isEmpty
            || options.only.contains(where: { "\($0).".hasPrefix("processors.") && !$0.hasPrefix(quality) })
        {
            figures += try ProcessingBenchmark(rounds: rounds).run()
        }
        if wants(quality) { figures += try ProcessingQuality().run() }
        if wants("arrival") { figures += ArrivalBenchmark(rounds: rounds).run() }
        if wants("http") { figures += await HTTPBenchmark(rounds: rounds).run() }
        if wants("disk") { figures += try DiskBenchmark(rounds: rounds).run() }
        if wants("reuse"), let benchmark = ReuseBenchmark() { figures += await benchmark.run() }
        return figures
    }

    private func ofPhotographs() -> [Figure] {
        var figures: [Figure] = []
        let rounds = options.rounds
        // "folder.png" is a folder of its own, and no figure of the first.
        if options.only.isEmpty || options.only.contains(where: { $0 == "folder" || isOfJPEGs($0) }) {
            figures += FolderBenchmark(name: "folder", format: .jpeg, images: options.photographs, rounds: rounds)
                .run()
        }
        for format in [ImageFormat.png, .webp] where wants("folder.\(format)") {
            guard let folder = ConvertedFolder(options.photographs, to: format) else { continue }
            figures += FolderBenchmark(
                name: "folder.\(format)", format: format, images: folder.images, rounds: rounds
            ).run()
            folder.remove()
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

    private func isOfJPEGs(_ name: String) -> Bool {
        name.hasPrefix("folder.") && !["png", "webp"].contains { "\(name).".hasPrefix("folder.\($0).") }
    }

    private func wants(_ part: String) -> Bool { options.wantsAny(of: part) }
}

import Firn
import FirnFigures

/// Scrolls 10 000 photographs in a real window, compared with the same grid of plain colors and of preloaded images.
struct GalleryBenchmark {
    /// Files and folders with photographs.
    let images: [String]
    let rounds: Int
    private static let seconds = 10

    func run() -> [Figure] {
        var runs: [(solid: GalleryRun, loaded: GalleryRun, mine: GalleryRun)] = []
        var jumps: [(mine: Double, bare: Double)] = []
        // All three run in every round, so that a slow moment affects all of them.
        for _ in 0..<rounds {
            guard let solid = GalleryRun.scroll(seconds: GalleryBenchmark.seconds, ["--solid"]),
                let loaded = GalleryRun.scroll(seconds: GalleryBenchmark.seconds, ["--textures"] + images),
                let mine = GalleryRun.scroll(seconds: GalleryBenchmark.seconds, images)
            else {
                print("gallery: left out; it needs firn-gallery beside the bench, and Xvfb")
                return []
            }
            runs.append((solid, loaded, mine))
            guard let jump = GalleryJump.run(images) else { continue }
            jumps.append((jump.stopToAllRightMs, jump.bareMilliseconds(images)))
        }
        func median(_ values: [Double]) -> Double { values.isEmpty ? .infinity : values.median }
        func ratio(_ name: String, _ unit: String, _ peer: String, _ pairs: [(Double, Double)]) -> Figure {
            Figure(
                name: "gallery.\(name)", value: median(pairs.map(\.0)), unit: unit, peer: peer,
                peerValue: median(pairs.map(\.1)), ratio: median(pairs.map { $0.0 / $0.1 }))
        }
        func value(_ name: String, _ unit: String, _ values: [Double], note: String = "") -> Figure {
            Figure(name: "gallery.\(name)", value: median(values), unit: unit, note: note)
        }
        let textures = runs.compactMap { run in
            run.mine.textureNs.flatMap { mine in run.mine.bareTextureNs.map { (mine / 1_000, $0 / 1_000) } }
        }
        return [
            ratio("jump", "ms", "bare decode of the cells seen, 2 threads", jumps.map { ($0.mine, $0.bare) }),
            ratio("texture", "µs", "bare GdkMemoryTexture of 1080p", textures),
            value(
                "deliver", "µs", runs.compactMap(\.mine.deliverAllUs),
                note: "all of the drawing thread's time for an image that was loaded"),
            ratio("gap", "ms", "plain colors", runs.map { ($0.mine.gapP99Ms, $0.solid.gapP99Ms) }),
            // Frames that are late even with plain colors are due to the machine.
            value(
                "late", "frames", runs.map { Double(max(0, $0.mine.lateFrames - $0.solid.lateFrames)) },
                note: "more than with plain colors"),
            ratio("paint", "ms", "loaded before", runs.map { ($0.mine.paintP50Ms, $0.loaded.paintP50Ms) }),
            value("bind.hit", "µs", runs.compactMap(\.mine.bindHitP50Us)),
            value("bind.miss", "µs", runs.compactMap(\.mine.bindMissP50Us)),
            value("memory", "MiB", runs.map(\.mine.peakMiB)),
            value("wrong", "images", runs.map { Double($0.mine.wrongImages) }),
        ]
    }
}

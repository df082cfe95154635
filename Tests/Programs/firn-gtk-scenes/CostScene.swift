#if GTK
import FirnBinding
import FirnData
import CGTK4
import FirnGTK
import FirnImage
import FirnPipeline
import FirnSystem

/// Measures and prints the cost of binding on the drawing thread; checks only a bound that any machine meets.
@MainActor
enum CostScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading(policy: .cancel)
        let count = 2_000
        for number in 0..<count { loading.serve(number, size: PixelSize(width: 100, height: 100)) }
        let grid = SceneGrid(loading, count: count, columns: 6, cell: 100)
        var hits: [Int64] = []
        var misses: [Int64] = []
        grid.factory.onBindTime = { duration, isHit in
            let time = duration.nanoseconds
            if isHit { hits.append(time) } else { misses.append(time) }
        }
        let window = SceneWindow(width: 640, height: 500, grid.scrolled)
        await window.present(checks)
        for step in 0..<150 {
            grid.jump(to: Double(step) * 200)
            await Turn.frames(1, of: window)
        }
        // Back, and once more over what was loaded on the way: on a busy machine, too, these are hits.
        for step in (90..<150).reversed() {
            grid.jump(to: Double(step) * 200)
            await checks.wait("what is visible is there") { grid.isComplete(in: window) }
        }
        for step in 90..<150 {
            grid.jump(to: Double(step) * 200)
            await Turn.frames(1, of: window)
        }
        print("bind, memory hit:  \(summary(hits))")
        print("bind, miss:        \(summary(misses))")
        checks.expect(hits.count > 500 && misses.count > 500, "\(hits.count) hits, \(misses.count) misses")
        checks.expect(median(hits) < 1_000_000 && median(misses) < 1_000_000, "a bind is no matter of milliseconds")
        textures(checks)
        window.close()
    }

    private static func textures(_ checks: Checks) {
        do {
            let bitmap = try Bitmap(size: PixelSize(width: 1920, height: 1080), format: .rgb8) { _ in }
            var (ours, bare): ([Int64], [Int64]) = ([], [])
            for _ in 0..<300 {
                let start = now()
                let texture = try ImageTexture.of(bitmap)
                let middle = now()
                _ = withExtendedLifetime(texture) { 0 }
                ours.append(middle - start)
                let other = bitmap.withUnsafeBytes { bytes in
                    let start = now()
                    let content = g_bytes_new_static(bytes.baseAddress, gsize(bytes.count))
                    let made = gdk_memory_texture_new(1920, 1080, GDK_MEMORY_R8G8B8, content, gsize(bitmap.bytesPerRow))
                    bare.append(now() - start)
                    g_bytes_unref(content)
                    return made
                }
                if let other { g_object_unref(UnsafeMutableRawPointer(other)) }
            }
            print("texture 1080p: ours \(summary(ours)); bare GdkMemoryTexture without a copy \(summary(bare))")
        } catch {
            checks.expect(false, "\(error)")
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func median(_ times: [Int64]) -> Int64 { times.isEmpty ? 0 : times.sorted()[times.count / 2] }

    private static func summary(_ times: [Int64]) -> String {
        guard !times.isEmpty else { return "none" }
        let sorted = times.sorted()
        func at(_ share: Double) -> String {
            let tenths = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / 100
            return "\(tenths / 10).\(tenths % 10)"
        }
        return "p50 \(at(0.5)) us, p90 \(at(0.9)) us, p99 \(at(0.99)) us of \(sorted.count)"
    }
}
#endif

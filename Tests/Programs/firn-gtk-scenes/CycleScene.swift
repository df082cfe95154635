#if GTK
import CGTK4
import FirnBinding
import FirnCache
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FirnSystem

/// Opens a hundred windows with a grid, scrolls while images load, and closes them: no object remains.
@MainActor
enum CycleScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading(policy: .pause)
        for number in 0..<400 { loading.serve(number, size: PixelSize(width: 200, height: 200)) }
        var resident: [Int] = []
        let objects = LivingObjects()
        for cycle in 0..<100 {
            await open(loading, objects, checks)
            if cycle % 10 == 9 { resident.append(residentKilobytes()) }
        }
        loading.cache.removeAll()
        await checks.wait("no texture is left") { ImageTexture.liveCount == 0 }
        await checks.wait("no widget is left") { FirnPicture.liveCount == 0 }
        await checks.wait("none of GTK's objects is left, of \(objects.most) in a window") { objects.count == 0 }
        checks.expect(objects.most > 40, "the cells were counted: \(objects.most)")
        await checks.wait("no request is left") { loading.loader.requests.record.active == 0 }
        // The first windows fill GTK's own caches.
        let growth = (resident.last ?? 0) - (resident.dropFirst().first ?? 0)
        checks.expect(growth < 8 * 1024, "memory stays: \(resident) kB")
    }

    private static func open(_ loading: SceneLoading, _ objects: LivingObjects, _ checks: Checks) async {
        let grid = SceneGrid(loading, count: 400, columns: 4, cell: 60)
        let window = SceneWindow(width: 260, height: 300, grid.scrolled)
        await window.present(checks)
        for step in 0..<4 {
            grid.jump(to: Double(step) * 700)
            await Turn.frames(1, of: window)
        }
        objects.watchAll(window.widget)
        objects.watch(UnsafeMutableRawPointer(grid.factory.pointer))
        window.close()
    }

    private static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }
}
#endif

#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// Scrolls a grid of 5 000 images fast, back and forth, with each reuse policy: in the end, every visible cell shows
/// its own image.
@MainActor
enum ListScene {
    static func play(_ checks: Checks) async {
        for policy in ImageReusePolicy.allCases { await scroll(policy, checks) }
    }

    private static func scroll(_ policy: ImageReusePolicy, _ checks: Checks) async {
        let loading = SceneLoading(policy: policy)
        let count = 5_000
        for number in 0..<count { loading.serve(number, size: PixelSize(width: 200, height: 200)) }
        let grid = SceneGrid(loading, count: count, columns: 6, cell: 100)
        let window = SceneWindow(width: 640, height: 500, grid.scrolled)
        await window.present(checks)
        await allRight("at the beginning", grid, window, checks)
        let steps = [2_000.0, 9_000, 30_000, 30_040, 29_900, 60_000, 12_000, 80, 41_234]
        for offset in steps {
            grid.jump(to: offset)
            // GTK 4.8's grid stays empty after two jumps within a frame.
            await Turn.frames(1, of: window)
        }
        await allRight("after a scroll, \(policy)", grid, window, checks)
        await checks.wait("a list at rest does not scroll") { !loading.context.isScrolling }
        grid.jump(to: 20_000)
        checks.expect(!loading.context.isScrolling, "a jump is no scroll")
        await Turn.frames(1, of: window)
        var hasScrolled = false
        for step in 0..<30 {
            grid.jump(to: 20_000 + Double(step) * 90)
            await Turn.frames(1, of: window)
            let wrong = grid.wrong(in: window)
            checks.expect(wrong.isEmpty, "no wrong image while scrolling: \(wrong)")
            hasScrolled = hasScrolled || loading.context.isScrolling
        }
        checks.expect(hasScrolled, "the list scrolled")
        await checks.wait("the scroll ends") { !loading.context.isScrolling }
        await allRight("after a steady scroll, \(policy)", grid, window, checks)
        checks.expect(
            grid.scroll.visible.count < 60, "a screen is visible, not all that is bound: \(grid.scroll.visible)")
        // Other items, and more of them in a row.
        grid.list.items = Array((0..<3_000).reversed())
        await allRight("with other items", grid, window, checks)
        grid.list.columns = 4
        await allRight("in other columns", grid, window, checks)
        grid.list.items = []
        await checks.wait("no cell is left of an empty list") { grid.scroll.visible.isEmpty }
        grid.list.items = Array(0..<20)
        await allRight("with few items", grid, window, checks)
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
        // The program may still have the list.
        grid.list.items = Array(0..<30)
        grid.list.columns = 2
        checks.expect(grid.list.items.count == 30, "a list outlives its window")
    }

    /// Waits until each visible cell shows its own image.
    private static func allRight(_ moment: String, _ grid: SceneGrid, _ window: SceneWindow, _ checks: Checks) async {
        let isRight = await checks.wait("all cells are right \(moment)") { grid.isComplete(in: window) }
        if !isRight {
            print("on the screen \(moment): \(grid.description(in: window)); visible \(grid.scroll.visible)")
            if let path = checks.shot { window.shot()?.save(path + ".failed.png") }
        }
    }
}
#endif

#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// Checks that animations of every format, from files and over the network, start to play in widgets, and that each
/// file is loaded once.
@MainActor
enum PlayingScene {
    static func play(_ checks: Checks) async {
        do { try await play(on: MovingStage(), checks) } catch { checks.expect(false, "\(error)") }
    }

    private static func play(on stage: MovingStage, _ checks: Checks) async throws {
        checks.expect(stage.files.count >= 3, "there are files to play: \(stage.files)")
        let pipelines = MovingStage.Source.allCases.map { ($0, stage.pipeline($0)) }
        await show("are played when they are loaded", pipelines, stage, checks)
        // The second time, they come from memory, together with their bytes.
        await show("are played from memory", pipelines, stage, checks) { source, response in
            checks.expect(response.cacheType == .memory, "\(source) comes from memory: \(String(describing: response))")
        }
        for (_, pipeline) in pipelines { await pipeline.flush() }
        // Models another launch: the memory cache is empty, and the data cache has the bytes.
        let cached = (MovingStage.Source.networkWithDataCache, stage.pipeline(.networkWithDataCache))
        await show("are played from the data cache", [cached], stage, checks) { _, response in
            checks.expect(response.cacheType == .disk, "it comes from disk")
        }
        for file in stage.files {
            for source in MovingStage.Source.allCases where source != .file {
                let count = stage.requests(file, source)
                checks.expect(count == 1, "\(file.rawValue), \(source): \(count) requests")
            }
        }
    }

    /// Shows all files in a window, a row for each source, until each has shown all its frames.
    private static func show(
        _ text: String, _ pipelines: [(source: MovingStage.Source, pipeline: ImagePipeline)], _ stage: MovingStage,
        _ checks: Checks, _ check: (MovingStage.Source, ImageResponse) -> Void = { _, _ in }
    ) async {
        guard let grid = gtk_grid_new() else { return }
        var images: [(source: MovingStage.Source, name: String, image: FirnPicture)] = []
        for (row, entry) in pipelines.enumerated() {
            let context = BindingContext.gtk(pipeline: entry.pipeline)
            for (column, file) in stage.files.enumerated() {
                let image = FirnPicture(context: context)
                gtk_widget_set_size_request(image.widget, 120, 120)
                gtk_grid_attach(
                    UnsafeMutableRawPointer(grid).assumingMemoryBound(to: GtkGrid.self), image.widget, gint(column),
                    gint(row), 1, 1)
                image.request = stage.request(file, entry.source)
                images.append((entry.source, "\(file.rawValue), \(entry.source)", image))
            }
        }
        let window = SceneWindow(width: 120 * stage.files.count, height: 120 * pipelines.count, grid)
        await window.present(checks)
        await MovingStage.wait(
            "all \(text)", images.map { ($0.name, $0.image.widget) }, in: window, checks)
        for entry in images {
            guard let response = entry.image.binding.phase.response else {
                checks.expect(false, "\(entry.name): \(entry.image.binding.phase)")
                continue
            }
            check(entry.source, response)
        }
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
    }
}
#endif

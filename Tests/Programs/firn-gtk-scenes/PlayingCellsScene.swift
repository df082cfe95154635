#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// Checks that cells of a list play animations if the option is set, and show a still image otherwise.
@MainActor
enum PlayingCellsScene {
    static func play(_ checks: Checks) async {
        do { try await play(on: MovingStage(), checks) } catch { checks.expect(false, "\(error)") }
    }

    private static func play(on stage: MovingStage, _ checks: Checks) async throws {
        for source in MovingStage.Source.allCases {
            let context = BindingContext.gtk(pipeline: stage.pipeline(source))
            await show(source, stage, context, plays: true, checks) { cells, window in
                await MovingStage.wait("cells play, \(source)", cells, in: window, checks)
            }
            await show(source, stage, context, plays: false, checks) { cells, window in
                await checks.wait("cells show their first frames, \(source)") {
                    guard let shot = window.shot() else { return false }
                    return cells.allSatisfy { MovingStage.frame(shot, $0.widget, window) == 0 }
                }
                var isStill = true
                for _ in 0..<40 {
                    await Turn.frames(1, of: window)
                    guard let shot = window.shot() else { continue }
                    isStill = isStill && cells.allSatisfy { MovingStage.frame(shot, $0.widget, window) == 0 }
                }
                checks.expect(isStill, "cells stand still unless told to play, \(source)")
            }
        }
        for file in stage.files {
            checks.expect(stage.requests(file, .network) == 1, "\(file.rawValue) is loaded once for both lists")
        }
    }

    private static func show(
        _ source: MovingStage.Source, _ stage: MovingStage, _ context: BindingContext, plays: Bool, _ checks: Checks,
        _ look: ([(name: String, widget: UnsafeMutablePointer<GtkWidget>)], SceneWindow) async -> Void
    ) async {
        let strings = gtk_string_list_new(nil)
        for file in stage.files { gtk_string_list_append(strings, file.rawValue) }
        let factory = ImageListFactory(context: context) { item in
            MovingFile(rawValue: item.string).map { stage.request($0, source) }
        }
        factory.cellSize = PixelSize(width: 100, height: 100)
        factory.playsAnimations = plays
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        guard let view = gtk_grid_view_new(gtk_no_selection_new(strings), factory.pointer) else { return }
        gtk_grid_view_set_min_columns(OpaquePointer(view), guint(stage.files.count))
        let window = SceneWindow(width: 120 * stage.files.count, height: 120, view)
        await window.present(checks)
        await checks.wait("cells are bound") { stage.files.indices.allSatisfy { factory.cell(at: $0) != nil } }
        await look(
            stage.files.indices.compactMap { place in
                factory.cell(at: place).map { (stage.files[place].rawValue, $0.widget) }
            }, window)
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
    }
}
#endif

#if GTK
import CGTK4
import Firn
import FirnData
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// Animations in files and on a server, with pipelines that load them as applications do.
@MainActor
final class MovingStage {
    enum Source: String, CaseIterable {
        case file, network, networkWithDataCache
    }

    let files: [MovingFile]
    let server: ScriptedServer
    private let folder: SceneFolder

    init() throws {
        folder = try SceneFolder()
        server = try ScriptedServer()
        var headers = HTTPHeaderFields()
        headers["Cache-Control"] = "max-age=3600"
        var made: [MovingFile] = []
        for file in MovingFile.allCases {
            guard let data = try file.data() else { continue }
            made.append(file)
            try folder.write(file.rawValue, data)
            for source in Source.allCases {
                server.respond(to: MovingStage.path(file, source), with: .body(data, headers: headers))
            }
        }
        files = made
    }

    private static func path(_ file: MovingFile, _ source: Source) -> String { "/\(source.rawValue)/\(file.rawValue)" }

    /// Returns a standard pipeline with its own memory cache.
    func pipeline(_ source: Source) -> ImagePipeline {
        ImagePipeline {
            $0.dataCache = source == .networkWithDataCache ? .disk(path: "\(folder.path)/cache") : nil
            $0.imageCache = ImageCache()
        }
    }

    func request(_ file: MovingFile, _ source: Source) -> ImageRequest {
        source == .file
            ? ImageRequest(path: "\(folder.path)/\(file.rawValue)")
            : ImageRequest(url: server.url(MovingStage.path(file, source)))
    }

    /// Returns how often a file was requested from the server.
    func requests(_ file: MovingFile, _ source: Source) -> Int {
        server.requests.calls.count { $0.path == MovingStage.path(file, source) }
    }

    /// Waits until each widget has shown all frames.
    static func wait(
        _ text: String, _ widgets: [(name: String, widget: UnsafeMutablePointer<GtkWidget>)],
        in window: SceneWindow, _ checks: Checks
    ) async {
        var missing = [Set<Int>](repeating: [0, 1, 2], count: widgets.count)
        let isSeen = await checks.wait(text) {
            guard let shot = window.shot() else { return false }
            for index in widgets.indices {
                if let frame = frame(shot, widgets[index].widget, window) { missing[index].remove(frame) }
            }
            return missing.allSatisfy(\.isEmpty)
        }
        if isSeen { return }
        for (widget, left) in zip(widgets, missing) where !left.isEmpty {
            checks.expect(false, "\(widget.name) did not show frames \(left.sorted())")
        }
    }

    /// Returns the frame that is visible in the middle of a widget.
    static func frame(_ shot: Shot, _ widget: UnsafeMutablePointer<GtkWidget>, _ window: SceneWindow) -> Int? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, window.widget, &bounds) != 0 else { return nil }
        return MovingFile.frame(
            of: shot.color(
                Int(bounds.origin.x + bounds.size.width / 2), Int(bounds.origin.y + bounds.size.height / 2)))
    }
}
#endif

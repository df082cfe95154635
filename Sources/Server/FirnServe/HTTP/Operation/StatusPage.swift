import FirnReport
import FirnSync
import FirnTelemetry
import Hummingbird

/// The page for operators: running requests, last errors and options. It shows no secrets, has no script and loads only
/// its style sheet.
package struct StatusPage {
    package typealias Option = (name: String, value: String, origin: String)

    private static let policy =
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    /// The maximum number of shown running requests.
    private static let maximumRunning = 50

    /// The responder whose server is shown.
    let admin: AdminResponder

    var resource: PageResource {
        PageResource(mediaType: "text/html; charset=utf-8", body: html, policy: StatusPage.policy, isConstant: false)
    }

    static var style: PageResource {
        PageResource(
            mediaType: "text/css; charset=utf-8",
            body: """
                body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #1c1c1e; }
                body { font: 16px/1.4 sans-serif; }
                h1 { font-size: 1.5rem; }
                h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
                table { border-collapse: collapse; width: 100%; }
                th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; vertical-align: top; }
                th { font-weight: 600; border-bottom: 2px solid #8a8a8e; }
                td { border-bottom: 1px solid #d8d8dc; overflow-wrap: anywhere; }
                .draining { color: #a01818; }
                """, policy: policy, isConstant: true)
    }

    private var html: String {
        let monitor = admin.monitor
        let options = admin.options.withLock { $0 }.map { [$0.name, $0.value, $0.origin] }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="refresh" content="5">
            <title>Firn image server</title>
            <link rel="stylesheet" href="status.css">
            </head>
            <body>
            <h1>Firn image server</h1>
            <p\(monitor.isDraining ? " class=\"draining\">Draining" : ">Serving") \
            for \(Self.time(since: monitor.started)).</p>
            \(table("Numbers", ["Number", "Value"], numbers))
            \(table("Requests in work", ["Language", "Source", "Time"], runningRows))
            \(table("Last errors", ["Language", "Source", "Status", "Error", "Ago"], failureRows))
            \(table("Options", ["Option", "Value", "From"], options))
            </body>
            </html>

            """
    }

    private var numbers: [[String]] {
        let counters = admin.service.statistics
        let memory = PeakMemory.now.map { "\($0 >> 20) MiB" } ?? "unknown"
        return [
            ["Connections", "\(admin.connections.count)"], ["In work", "\(counters.running)"],
            ["Waiting", "\(counters.waiting)"], ["Made", "\(counters.made)"], ["Shared", "\(counters.shared)"],
            ["Hits in memory", "\(counters.memoryHits)"], ["Hits on disk", "\(counters.diskHits)"],
            ["Refused", "\(counters.refused)"], ["Results in memory", "\(counters.memoryBytes >> 20) MiB"],
            ["Memory", memory], ["Decoder deaths", "\(counters.decoderDeaths)"],
        ]
    }

    private var runningRows: [[String]] {
        admin.monitor.running.prefix(StatusPage.maximumRunning).map {
            [$0.language.rawValue, $0.note.withLock { $0.source } ?? "", StatusPage.time(since: $0.start)]
        }
    }

    private var failureRows: [[String]] {
        admin.monitor.failures.map { request, end in
            let note = request.note.withLock { $0 }
            return [
                request.language.rawValue, note.source ?? "", "\(note.error?.status ?? 0)", note.error?.message ?? "",
                StatusPage.time(since: end),
            ]
        }
    }

    private func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "<h2>\(title)</h2>\n<p>None.</p>" }
        let head = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { row in "<tr>" + row.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>" }
        return "<h2>\(title)</h2>\n<table>\n<thead><tr>\(head)</tr></thead>\n<tbody>\n"
            + body.joined(separator: "\n") + "\n</tbody>\n</table>"
    }

    private static func time(since start: ContinuousClock.Instant) -> String {
        let duration = ContinuousClock.now - start
        let seconds = duration.components.seconds
        switch seconds {
        case ..<1: return "\(Int(duration / .milliseconds(1))) ms"
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min"
        default: return "\(seconds / 3600) h"
        }
    }
}

/// Serves `/health`, `/metrics`, `/status` and `/purge` on the operator's port.
struct AdminResponder: HTTPResponder {
    typealias Context = ServeContext

    let service: ImageService
    let monitor: RequestMonitor
    let connections: ConnectionTable
    /// The connections of the operator's port.
    let own: ConnectionTable
    let options: Locked<[StatusPage.Option]>
    /// The responder of the image port, whose addresses purges name.
    let images: MonitoredResponder

    func respond(to request: Request, context: ServeContext) async throws -> Response {
        var response =
            switch request.method {
            case .get, .head: makeResponse(to: request.head.path ?? "/")
            case .post where request.head.path?.hasPrefix("/purge?") == true:
                await images.responder.purge(request, own.presence(of: context.connection))
            default: ServeResponse.text(.methodNotAllowed, "GET, HEAD and POST /purge are served")
            }
        ServeResponse.secure(&response)
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if request.method == .head { response.body = ResponseBody(contentLength: response.body.contentLength) { _ in } }
        return response
    }

    private func makeResponse(to target: String) -> Response {
        switch target.prefix(while: { $0 != "?" }) {
        case "/health": return ServeResponse.health(isDraining: monitor.isDraining)
        case "/metrics":
            let text = monitor.metrics.text(
                service.statistics, connections: connections.count, closed: connections.closed)
            return ServeResponse.content(PrometheusPage.contentType, text)
        case "/", "/status": return ServeResponse.page(StatusPage(admin: self).resource)
        case "/status.css": return ServeResponse.page(StatusPage.style)
        default: return ServeResponse.text(.notFound, "here are /health, /metrics, /status and POST /purge")
        }
    }
}

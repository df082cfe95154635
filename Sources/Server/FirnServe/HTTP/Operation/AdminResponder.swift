import FirnSync
import FirnTelemetry
import Hummingbird

/// Serves `/health`, `/metrics` and `/status` on the operator's port. Nothing can be changed there.
struct AdminResponder: HTTPResponder {
    typealias Context = ServeContext

    let service: ImageService
    let monitor: RequestMonitor
    let connections: ConnectionTable
    let options: Locked<[StatusPage.Option]>

    func respond(to request: Request, context: ServeContext) async throws -> Response {
        var response =
            switch request.method {
            case .get, .head: makeResponse(to: request.head.path ?? "/")
            default: ServeResponse.text(.methodNotAllowed, "GET and HEAD are served")
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
        default: return ServeResponse.text(.notFound, "here are /health, /metrics and /status")
        }
    }
}

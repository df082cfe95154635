import FirnSync
import FirnTelemetry
import Hummingbird

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

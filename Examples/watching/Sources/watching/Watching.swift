import Firn
import FirnTelemetry
import FoundationEssentials

/// Loads an image twice and prints the metrics in Prometheus format: `watching PATH-OR-URL OUT.png`.
///
/// A server would respond to `GET /metrics` with `page.text`, and add observers for its log and tracer.
@main
struct Watching {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: watching PATH-OR-URL OUT.png") }
        let page = PrometheusPage()
        let pipeline = ImagePipeline { $0.observers = [MetricsObserver(page: page)] }
        let source = arguments[1]
        let request = source.contains("://") ? ImageRequest(url: source) : ImageRequest(path: source)
        do {
            _ = try await pipeline.image(for: request)
            let again = try await pipeline.image(for: request)
            try ImageEncoders.png().encode(again).write(to: URL(filePath: arguments[2]))
        } catch {
            print("no image: \(error)")
        }
        print(page.text)
    }
}

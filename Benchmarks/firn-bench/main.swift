let benchmark = RequestBenchmark(count: 20_000)
// Off the main actor: what is measured is the engine, not the hops to a main thread.
let figures = try await Task.detached { try await benchmark.run() }.value
for figure in figures {
    print(figure.name, figure.value, figure.unit, figure.against, figure.ratio)
}

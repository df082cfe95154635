import FirnSystem

/// A thread that runs one closure and can be joined.
final class BenchThread {
    private let body: @Sendable () -> Void
    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
        let box = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<BenchThread>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}

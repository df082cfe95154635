import FirnImage
import FirnSync
import FirnSystem
import FoundationEssentials

/// Runs encoders, and what else blocks, on threads of its own, at most one for each core.
final class EncodingGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State(free: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

    /// The results that wait for a core.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Throws: status 422 if the encoder fails, 499 if the task is cancelled.
    func encode(
        _ image: Bitmap, by encoder: any ImageEncoding, _ metadata: EncodingMetadata
    ) async throws(ServeError) -> Data {
        try await run { flag throws(ServeError) in
            do throws(ImageEncodingError) {
                return try encoder.encode(image, metadata: metadata, cancellation: flag)
            } catch {
                throw ServeError(422, error.message)
            }
        }
    }

    /// Runs `work`, whose flag is set when the task is cancelled.
    ///
    /// - Throws: what `work` throws; status 499 if the task is cancelled.
    func run(
        _ work: @escaping @Sendable (CancellationFlag) throws(ServeError) -> Data
    ) async throws(ServeError) -> Data {
        await enter()
        defer { leave() }
        if Task.isCancelled { throw .clientClosed }
        let flag = CancellationFlag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (done: CheckedContinuation<Result<Data, ServeError>, Never>) in
                let work: @Sendable () -> Void = {
                    do throws(ServeError) {
                        done.resume(returning: .success(try work(flag)))
                    } catch {
                        done.resume(returning: .failure(error))
                    }
                }
                if !WorkerThread.start(work) { work() }
            }
        } onCancel: {
            flag.cancel()
        }
        switch result {
        case .success(let data): return data
        case .failure(let error): throw flag.isCancelled ? .clientClosed : error
        }
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

import CFirnCodecs
import FirnImage
import FirnSync
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("The confinement of decoders", .serialized)
struct ConfinementTests {
    @Test("a confined process can neither open, connect, start a program nor read its parent")
    func attempts() async {
        #expect(await BuiltProgram("firn-decoder").run(["--check"]) == 0)
    }

    @Test("a worker has no descriptor but its own")
    func descriptors() throws {
        let program = try NamedDecoder("firn-listed")
        defer { program.remove() }
        let path = try #require(WorkerProgram.path(program.isolation))
        let policy = WorkerPolicy(FIRN_CODEC_JPEG, program.isolation, ImageLimits())
        let worker = try DecoderService.service(of: path).worker(policy)
        defer { worker.closeImage() }
        var request = firn_worker_request()
        request.call = FIRN_CALL_HEADER.rawValue
        // Any answer: a worker is confined before it answers.
        _ = try worker.call(request, [], limit: .seconds(20), CancellationFlag())
        let process = try #require(program.workers().first)
        let names = Processes.descriptors(of: process)
        // Only the superuser may look, because the process is not dumpable.
        #expect(getuid() != 0 || names.count == 4)
        #expect(names.allSatisfy { $0 == "/dev/null" || $0.hasPrefix("socket:") })
    }

    @Test("workers that are killed at random end each decode once and leave no process")
    func killed() throws {
        let program = try NamedDecoder("firn-killed")
        defer { program.remove() }
        _ = try IsolatedImages.decode(IsolatedImages.red, program.isolation)
        let isDone = CancellationFlag()
        let killer = try #require(
            WorkerThread.startJoinable {
                while !isDone.isCancelled {
                    for process in program.workers() where Bool.random() { kill(process, SIGKILL) }
                    sched_yield()
                }
            })
        var images = 0
        var errors = 0
        for number in 0..<100 {
            let data = IsolatedImages.drawing("<rect width='16' height='16' fill='#f00'/><!-- \(number) -->")
            do {
                #expect(
                    IsolatedImages.firstPixel(try IsolatedImages.decode(data, program.isolation)) == [0, 0, 255, 255])
                images += 1
            } catch {
                errors += 1
            }
        }
        isDone.cancel()
        pthread_join(killer, nil)
        #expect(images + errors == 100)
        #expect(
            IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red, program.isolation))
                == [0, 0, 255, 255])
        // A worker ends when its socket is closed; the zygote then waits for it.
        var looks = 0
        while looks < 100_000, !program.workers().isEmpty { looks += 1 }
        #expect(program.workers().isEmpty)
    }
}

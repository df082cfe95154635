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
        let isolation = IsolatedImages.real
        let path = try #require(WorkerProgram.path(isolation))
        let service = DecoderService.service(of: path)
        let policy = WorkerPolicy(FIRN_CODEC_JPEG, isolation, ImageLimits())
        let worker = try service.worker(policy)
        defer { worker.closeImage() }
        var request = firn_worker_request()
        request.call = FIRN_CALL_HEADER.rawValue
        // Any answer: the worker is confined once it answers.
        _ = try worker.call(request, [], limit: .seconds(20), CancellationFlag())
        for process in Processes.workers() {
            let names = Processes.descriptors(of: process)
            #expect(names.count <= 8)
            #expect(names.allSatisfy { $0 == "/dev/null" || $0.hasPrefix("socket:") || $0.contains("memfd:firn") })
        }
    }

    @Test("workers that are killed at random end each decode once and leave nothing")
    func killed() throws {
        _ = try IsolatedImages.decode(IsolatedImages.red)
        let before = Processes.descriptors(of: getpid()).count
        var images = 0
        var errors = 0
        let isDone = CancellationFlag()
        let killer = try #require(
            WorkerThread.startJoinable {
                while !isDone.isCancelled {
                    for process in Processes.workers() where Bool.random() { kill(process, SIGKILL) }
                    sched_yield()
                }
            })
        for number in 0..<100 {
            let data = IsolatedImages.drawing("<rect width='16' height='16' fill='#f00'/><!-- \(number) -->")
            let hasImage = (try? IsolatedImages.decode(data)) != nil
            if hasImage { images += 1 } else { errors += 1 }
        }
        isDone.cancel()
        pthread_join(killer, nil)
        #expect(images + errors == 100)
        #expect(IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red)) == [0, 0, 255, 255])
        #expect(Processes.descriptors(of: getpid()).count <= before + 4)
    }
}

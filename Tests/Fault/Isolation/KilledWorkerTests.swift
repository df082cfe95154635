import CFirnCodecs
import FirnImage
import FirnPipeline
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import Synchronization
import Testing

@testable import FirnCodecs

@Suite("Workers that are killed under load", .serialized)
struct KilledWorkerTests {
    private static let kills = 1000
    private static let loads = 16

    @Test func `each task ends once, and nothing is left of a thousand killed workers`() async throws {
        let program = try NamedDecoder("firn-killed")
        defer { program.remove() }
        let budget = MemoryBudget(total: 256 << 20)
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: try ImageDecoders.standard(isolation: program.isolation))
        configuration.memoryBudget = budget
        let pipeline = ImagePipeline(configuration: configuration)
        // Order: everything that stays open is open before the count.
        #expect(await ends(of: 0..<KilledWorkerTests.loads, pipeline).images == KilledWorkerTests.loads)
        try waitForEnd(of: program)
        let descriptors = Processes.descriptors(of: getpid()).count
        let memory = budget.decodingBytes

        let killed = Atomic<Int>(0)
        let isDone = CancellationFlag()
        let killer = try #require(
            WorkerThread.startJoinable {
                var generator = SeededGenerator(seed: 11)
                while !isDone.isCancelled {
                    for process in program.workers() where Bool.random(using: &generator) {
                        if kill(process, SIGKILL) == 0 { killed.add(1, ordering: .relaxed) }
                    }
                    sched_yield()
                }
            })
        var next = KilledWorkerTests.loads
        var errors = 0
        while killed.load(ordering: .relaxed) < KilledWorkerTests.kills, next < 40_000 {
            let range = next..<next + KilledWorkerTests.loads
            let ended = await ends(of: range, pipeline)
            #expect(ended.images + ended.errors == range.count)
            errors += ended.errors
            next = range.upperBound
        }
        isDone.cancel()
        pthread_join(killer, nil)
        #expect(killed.load(ordering: .relaxed) >= KilledWorkerTests.kills)
        // A worker may be killed after its last reply.
        #expect(errors > KilledWorkerTests.kills / 20)

        #expect(await ends(of: next..<next + KilledWorkerTests.loads, pipeline).images == KilledWorkerTests.loads)
        try waitForEnd(of: program)
        #expect(program.workers().isEmpty)
        // Thousands of workers each had a socket and memory. Other suites run at the same time and have files open.
        #expect(Processes.settles { Processes.descriptors(of: getpid()).count <= descriptors + 300 })
        #expect(Processes.settles { budget.decodingBytes <= memory })
    }

    /// Loads drawings, one for each number, and returns how many tasks ended with an image, and with an error.
    private func ends(of numbers: Range<Int>, _ pipeline: ImagePipeline) async -> (images: Int, errors: Int) {
        await withTaskGroup(of: Bool.self) { group in
            for number in numbers {
                let data = IsolatedImages.drawing("<rect width='16' height='16' fill='#f00'/><!-- \(number) -->")
                let request = ImageRequest(id: "\(number)", data: data)
                group.addTask {
                    guard let image = try? await pipeline.image(for: request) else { return false }
                    return IsolatedImages.firstPixel(image) == [0, 0, 255, 255]
                }
            }
            return await group.reduce(into: (images: 0, errors: 0)) { ends, isImage in
                if isImage { ends.images += 1 } else { ends.errors += 1 }
            }
        }
    }

    /// A worker ends when its socket is closed; the zygote then waits for it.
    private func waitForEnd(of program: NamedDecoder) throws {
        #expect(Processes.settles { program.workers().isEmpty })
    }
}

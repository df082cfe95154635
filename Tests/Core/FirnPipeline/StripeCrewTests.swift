@testable import FirnImage
import FirnSync
import Foundation
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct StripeCrewTests {
    private final class Counts: Sendable {
        private let counts: Locked<[Int]>
        init(_ count: Int) { counts = Locked(Array(repeating: 0, count: count)) }
        func add(_ index: Int) { counts.withLock { $0[index] += 1 } }
        var all: [Int] { counts.withLock { $0 } }
    }

    @Test(arguments: [0, 1, 3])
    func `Every stripe is done once, and all are done at the end`(helpers: Int) {
        let crew = StripeCrew(helpers: helpers)
        for count in [0, 1, 2, 7, 500] {
            let counts = Counts(count)
            crew.perform(count) { counts.add($0) }
            #expect(counts.all == Array(repeating: 1, count: count))
        }
    }

    @Test func `Images that are done at the same time do not mix`() {
        let crew = StripeCrew(helpers: 2)
        let counts = (0..<6).map { _ in Counts(300) }
        // Own threads, because stripes must not run on Swift's cooperative ones.
        let group = DispatchGroup()
        for index in 0..<6 {
            group.enter()
            let isStarted = WorkerThread.start {
                for _ in 0..<5 { crew.perform(300) { counts[index].add($0) } }
                group.leave()
            }
            #expect(isStarted)
        }
        group.wait()
        for count in counts { #expect(count.all == Array(repeating: 5, count: 300)) }
    }

    @Test func `A late helper retains nothing of a finished job`() {
        final class Image: Sendable {}
        weak var held: Image?
        let counts = Counts(2)
        // From here on, the test holds the job, as a helper does that was called for it.
        let job: StripeJob
        do {
            let image = Image()
            held = image
            job = StripeJob(count: 2) { [image] index in withExtendedLifetime(image) { counts.add(index) } }
        }
        job.work()
        #expect(held != nil)
        job.close()
        // The compiler's check of non-escaping closures would end the process if the image were still held.
        #expect(held == nil)
        job.help()
        #expect(counts.all == [1, 1])
    }

    @Test func `A decode gets helpers only for cores on which no other decode runs`() {
        let crew = StripeCrew(helpers: 1)
        #expect(crew.idleThreads == 2)
        crew.decoding {
            #expect(crew.ofDecoder.idleThreads == 1)
            // The first stripe waits for the second one, which only another thread can process.
            let second = DispatchSemaphore(value: 0)
            crew.ofDecoder.perform(2) { index in
                if index == 0 { second.wait() } else { second.signal() }
            }
            crew.decoding {
                #expect(crew.ofDecoder.idleThreads == 0)
                let caller = ObjectIdentifier(Thread.current)
                crew.ofDecoder.perform(20) { _ in #expect(ObjectIdentifier(Thread.current) == caller) }
            }
        }
        #expect(crew.idleThreads == 2)
    }

    @Test func `A helper joins while another thread works`() {
        let crew = StripeCrew(helpers: 1)
        // The first stripe waits for the second one, which only another thread can process.
        let second = DispatchSemaphore(value: 0)
        crew.perform(2) { index in
            if index == 0 { second.wait() } else { second.signal() }
        }
    }
}

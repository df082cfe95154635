import FirnImage
import FirnSync
import FirnTesting
import Foundation
import TestSupport
import Testing

@testable import FirnCache

/// Tests the levels of memory pressure and the reactions to them.
@Suite struct PressureTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `Memory pressure reduces the share in steps, down to a tenth`() {
        var policy = PressurePolicy()
        var shares: [Double] = []
        for number in 0..<8 {
            policy.take(PressureReading(allStalled: 20), at: Int64(number) * PressureTests.second)
            shares.append(policy.share)
        }
        #expect(shares == [0.5, 0.25, 0.125, 0.1, 0.1, 0.1, 0.1, 0.1])
    }

    @Test func `Two consecutive readings reduce the share once`() {
        var policy = PressurePolicy()
        policy.take(PressureReading(isCalled: true), at: 0)
        policy.take(PressureReading(isCalled: true), at: PressureTests.second)
        #expect(policy.share == 0.75)
        policy.take(PressureReading(isCalled: true), at: 2 * PressureTests.second)
        #expect(policy.share == 0.5625)
    }

    @Test func `A falling average changes nothing`() {
        var policy = PressurePolicy()
        policy.take(PressureReading(someStalled: 40), at: 0)
        #expect(policy.share == 0.5)
        for (number, some) in [35.0, 28, 20, 14].enumerated() {
            policy.take(PressureReading(someStalled: some), at: Int64(number + 1) * 5 * PressureTests.second)
        }
        #expect(policy.share == 0.5)
        policy.take(PressureReading(someStalled: 15), at: 40 * PressureTests.second)
        #expect(policy.share == 0.375)
    }

    @Test func `The share grows again, in steps, once memory has not been short for a while`() {
        var policy = PressurePolicy()
        policy.take(PressureReading(headroom: 0.01), at: 0)
        var shares: [Double] = []
        for number in 1...30 {
            policy.take(PressureReading(someStalled: 0, headroom: 0.5), at: Int64(number) * PressureTests.second)
            shares.append(policy.share)
        }
        // There has been no pressure since second 1.
        #expect(shares[9] == 0.5)
        #expect(shares[10] == 0.625)
        #expect(shares[15] == 0.78125)
        #expect(shares[20] > 0.97 && shares[20] < 1)
        #expect(shares[25] == 1)
    }

    @Test func `Between the thresholds the share stays, and the recovery time restarts`() {
        var policy = PressurePolicy()
        policy.take(PressureReading(headroom: 0.05), at: 0)
        for number in 1...100 {
            let headroom = number % 8 == 0 ? 0.1 : 0.5
            policy.take(PressureReading(headroom: headroom), at: Int64(number) * PressureTests.second)
        }
        #expect(policy.share == 0.75)
    }

    @Test func `A machine without readings counts as having memory`() {
        var policy = PressurePolicy()
        for number in 0..<10 { policy.take(PressureReading(), at: Int64(number) * PressureTests.second) }
        #expect(policy.share == 1)
    }

    @Test func `The scarcest of machine and groups counts, and cached files count as free`() throws {
        let files = InMemoryFileSystem(texts: [
            "/proc/meminfo": "MemTotal:       1000 kB\nMemFree:         10 kB\nMemAvailable:    800 kB\n",
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/b/memory.high": "1000\n", "/sys/fs/cgroup/a/b/memory.current": "900\n",
            "/sys/fs/cgroup/a/b/memory.stat": "anon 100\ninactive_file 600\n",
            "/sys/fs/cgroup/a/memory.max": "10000\n", "/sys/fs/cgroup/a/memory.current": "9500\n",
        ])
        let headroom = try #require(MachineMemory.headroom(files))
        #expect(abs(headroom - 0.05) < 1e-9)
        files["/sys/fs/cgroup/a/memory.max"] = nil
        #expect(abs(try #require(MachineMemory.headroom(files)) - 0.7) < 1e-9)
        #expect(MachineMemory.headroom(InMemoryFileSystem()) == nil)
    }

    @Test func `The group's pressure takes precedence over the machine's`() {
        let machine = "some avg10=1.50 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.25 avg60=0.00 avg300=0.00 total=1\n"
        let files = InMemoryFileSystem(texts: ["/proc/self/cgroup": "0::/a\n", "/proc/pressure/memory": machine])
        let source = LinuxPressureSource(files: files)
        #expect(source.read() == PressureReading(someStalled: 1.5, allStalled: 0.25))
        files["/sys/fs/cgroup/a/memory.pressure"] = Data("some avg10=7.00 avg60=0.00 avg300=0.00 total=5\n".utf8)
        #expect(source.read() == PressureReading(someStalled: 7))
    }

    @Test(.timeLimit(.minutes(5))) func `The kernel's notification is asked for once, and not by the first wait`() {
        let opened = Locked<[String]>([])
        let files = InMemoryFileSystem(texts: ["/proc/self/cgroup": "0::/a\n"])
        let source = LinuxPressureSource(files: files) { path in
            opened.withLock { $0.append(path) }
            return path.hasPrefix("/sys") ? nil : open("/dev/null", O_RDONLY)
        }
        #expect(source.wait(isTense: true) == .elapsed)
        #expect(opened.withLock { $0 }.isEmpty)
        source.stop()
        for _ in 0..<2 { #expect(source.wait(isTense: true) == .stopped) }
        let groups = ["/sys/fs/cgroup/a/memory.pressure", "/proc/pressure/memory"]
        #expect(opened.withLock { $0 } == groups)
    }

    @Test(.timeLimit(.minutes(5))) func `The system's watch can be stopped`() {
        let source = LinuxPressureSource()
        #expect(source.read().headroom != nil)
        // The stop may come before the wait or during it: the wait ends.
        Thread.detachNewThread { source.stop() }
        while source.wait(isTense: false) != .stopped {}
        #expect(source.wait(isTense: true) == .stopped)
    }
}

import FirnImage
import FirnTesting
import TestSupport
import Testing

@testable import FirnCache

/// Tests the memory limit of control groups, as read from files.
@Suite struct MachineMemoryTests {
    private func available(_ files: InMemoryFileSystem) -> Int {
        AvailableMemory.bytes(physical: AvailableMemory.physicalBytes()) { MachineMemory.text($0, files) }
    }

    @Test func `The lowest limit on the way up to the root counts`() {
        let files = InMemoryFileSystem(texts: [
            "/proc/self/cgroup": "4:memory:/other\n0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "1000000\n", "/sys/fs/cgroup/memory.max": "2000000\n",
        ])
        #expect(available(files) == 1_000_000)
    }

    @Test func `Without control groups there is no limit`() {
        let whole = available(InMemoryFileSystem())
        #expect(whole > 1 << 20)
        let unnamed = InMemoryFileSystem(texts: ["/proc/self/cgroup": "1:name=systemd:/\n"])
        #expect(available(unnamed) == whole)
        let unlimited = InMemoryFileSystem(texts: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max"])
        #expect(available(unlimited) == whole)
    }
}

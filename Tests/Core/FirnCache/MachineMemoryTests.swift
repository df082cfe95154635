import FirnTesting
import Testing

@testable import FirnCache

/// Tests the memory limit of control groups, as read from files.
@Suite struct MachineMemoryTests {
    @Test("The lowest limit on the way up to the root counts")
    func lowest() {
        let files = InMemoryFileSystem(texts: [
            "/proc/self/cgroup": "4:memory:/other\n0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "1000000\n", "/sys/fs/cgroup/memory.max": "2000000\n",
        ])
        #expect(MachineMemory.available(fileSystem: files) == 1_000_000)
    }

    @Test("Without control groups there is no limit")
    func none() {
        let whole = MachineMemory.available(fileSystem: InMemoryFileSystem())
        #expect(whole > 1 << 20)
        let unnamed = InMemoryFileSystem(texts: ["/proc/self/cgroup": "1:name=systemd:/\n"])
        #expect(MachineMemory.available(fileSystem: unnamed) == whole)
        let unlimited = InMemoryFileSystem(texts: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max"])
        #expect(MachineMemory.available(fileSystem: unlimited) == whole)
    }
}

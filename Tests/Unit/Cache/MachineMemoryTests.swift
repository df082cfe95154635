import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCache

/// Tests the memory limit of control groups, as read from files.
@Suite struct MachineMemoryTests {
    private func system(_ files: [String: String]) -> InMemoryFileSystem {
        let system = InMemoryFileSystem()
        for (path, text) in files { system[path] = Data(text.utf8) }
        return system
    }

    @Test("The lowest limit on the way up to the root counts")
    func lowest() {
        let files = system([
            "/proc/self/cgroup": "4:memory:/other\n0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "1000000\n", "/sys/fs/cgroup/memory.max": "2000000\n",
        ])
        #expect(MachineMemory.available(fileSystem: files) == 1_000_000)
    }

    @Test("Without control groups there is no limit")
    func none() {
        let whole = MachineMemory.available(fileSystem: system([:]))
        #expect(whole > 1 << 20)
        #expect(MachineMemory.available(fileSystem: system(["/proc/self/cgroup": "1:name=systemd:/\n"])) == whole)
        let unlimited = system(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max"])
        #expect(MachineMemory.available(fileSystem: unlimited) == whole)
    }
}

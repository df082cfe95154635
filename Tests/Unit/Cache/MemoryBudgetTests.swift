import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCache

/// The limit of control groups, as files tell it.
@Suite struct MemoryBudgetTests {
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
        #expect(MemoryBudget.groupLimit(files) == 1_000_000)
        #expect(MemoryBudget.available(fileSystem: files) == 1_000_000)
    }

    @Test("Without control groups there is no limit")
    func none() {
        #expect(MemoryBudget.groupLimit(system([:])) == nil)
        #expect(MemoryBudget.groupLimit(system(["/proc/self/cgroup": "1:name=systemd:/\n"])) == nil)
        #expect(
            MemoryBudget.groupLimit(system(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max"])) == nil)
        #expect(MemoryBudget.available(fileSystem: system([:])) > 1 << 20)
    }
}

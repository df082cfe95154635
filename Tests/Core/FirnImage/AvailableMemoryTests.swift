import FirnImage
import Testing

/// Tests the memory limit of the process, as read from control groups.
@Suite struct AvailableMemoryTests {
    private func limit(_ files: [String: String]) -> Int? { AvailableMemory.groupLimit { files[$0] } }

    @Test func `the lowest limit up to the root applies`() {
        let files = [
            "/proc/self/cgroup": "4:cpu:/other\n0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "1000000\n", "/sys/fs/cgroup/memory.max": "2000000\n",
        ]
        #expect(limit(files) == 1_000_000)
        #expect(AvailableMemory.bytes(physical: 4_000_000) { files[$0] } == 1_000_000)
        #expect(AvailableMemory.bytes(physical: 400_000) { files[$0] } == 400_000)
    }

    @Test func `control groups of version 1 count, also inside a container`() {
        let groups = "9:cpuset:/docker/1\n4:cpu,memory:/docker/1\n1:name=systemd:/docker/1\n"
        let whole = ["/proc/self/cgroup": groups, "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "3000000\n"]
        #expect(limit(whole) == 3_000_000)
        let inside = ["/proc/self/cgroup": groups, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "5000000\n"]
        #expect(limit(inside) == 5_000_000)
    }

    @Test func `without control groups there is no limit`() {
        #expect(limit([:]) == nil)
        #expect(limit(["/proc/self/cgroup": "1:name=systemd:/\n"]) == nil)
        #expect(limit(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max"]) == nil)
        #expect(AvailableMemory.bytes(physical: 7) { _ in nil } == 7)
    }

    @Test func `a decode may take half of it by default`() {
        #expect(ImageLimits().maximumWorkingBytes == AvailableMemory.bytes / 2)
        #expect(AvailableMemory.bytes > 1 << 20)
    }
}

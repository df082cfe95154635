import CRefusedCalls
import FirnSystem
import Testing

/// Tests the program that decodes where the system, or a container's list of system calls, lacks one of them.
@Suite("Decoders on older systems", .serialized)
struct OlderSystemTests {
    @Test(arguments: [ENOSYS, EPERM])
    func `the check of a decoder passes without close_range and pidfd_open`(_ error: Int32) async {
        #expect(await status(of: ["--check"], without: call_close_range, error) == 0)
        #expect(await status(of: ["--check"], without: call_pidfd_open, error) == 0)
    }

    @Test(arguments: [ENOSYS, EPERM])
    func `the check of a decoder fails where a decode cannot begin`(_ error: Int32) async {
        #expect(await status(of: ["--check"], without: call_memfd_create, error) == 2)
    }

    private func status(of words: [String], without call: Int, _ error: Int32) async -> Int32 {
        let arguments = [BuiltProgram("firn-decoder").path] + words
        return await BuiltProgram.onThread {
            var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
            defer { for text in texts { free(text) } }
            return run_without_call(call, error, &texts)
        }
    }
}

import FirnSystem
import Testing

/// Makes a folder below `/tmp` and returns its path. The test has to remove it.
func temporaryFolder(_ name: String) throws -> String {
    var template = Array("/tmp/firn-\(name)-XXXXXX".utf8CString)
    return try #require(
        template.withUnsafeMutableBufferPointer {
            $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        })
}

import FirnSystem

/// The folder for relative paths.
package enum CurrentFolder {
    /// Its path; `/` if it was removed.
    package static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}

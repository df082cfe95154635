import FirnSystem

/// The folder that relative paths start from.
package enum CurrentFolder {
    /// Its path; `/` if it was removed.
    package static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}

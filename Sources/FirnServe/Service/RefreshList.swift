/// Which results were made again lately, so that a source that fails is not asked by each request.
struct RefreshList: Sendable {
    /// When each key was tried last, in seconds since 1970.
    private var tried: [String: Int] = [:]
    /// The time between two tries, in seconds.
    static let pause = 10
    private static let most = 4096

    /// Whether the result of a key is to be made again now.
    mutating func begin(_ key: String, now: Int) -> Bool {
        if let last = tried[key], last <= now, now - last < RefreshList.pause { return false }
        if tried.count >= RefreshList.most { tried = [:] }
        tried[key] = now
        return true
    }
}

import FoundationEssentials

enum Machine {
    /// The number of cores that this process may use.
    static let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
}

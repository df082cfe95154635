import FirnTesting
import TestSupport

/// Runs an operation once for each file system call that it makes, with that call failing. In the last run none fails.
///
/// - Parameters:
///   - code: the system's error number of the failures.
///   - limit: the maximum number of runs.
///   - files: makes the files of a run.
///   - operation: the calls that can fail.
///   - check: examines the files and the outcome of a run, when no call fails any more, and gets the run's number.
/// - Returns: the number of runs.
func failEachCall<Outcome>(
    _ code: Int32, limit: Int, on files: () throws -> InMemoryFileSystem,
    during operation: (InMemoryFileSystem) -> Outcome,
    check: (InMemoryFileSystem, Outcome, Int) throws -> Void
) throws -> Int {
    for number in 1...limit {
        let files = try files()
        let before = files.callCount
        files.fail(FileFault(number: number, code: code))
        let outcome = operation(files)
        let isOver = files.callCount - before < number
        files.clearFaults()
        try check(files, outcome, number)
        if isOver { return number }
    }
    return limit
}

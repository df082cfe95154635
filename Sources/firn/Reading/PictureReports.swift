import Firn
import FirnReport

/// Prints what is found out about files: one object of JSON each, or a text, and faults where people look for them.
enum PictureReports {
    /// Looks at several files at a time and prints in their order.
    ///
    /// - Parameter find: what to do with the file of this index; called on several threads.
    /// - Returns: whether no file failed.
    static func print<Finding: PictureFinding>(
        _ paths: [String], asJSON: Bool, _ find: @escaping @Sendable (Int) throws(PictureFault) -> Finding
    ) -> Bool {
        var isFine = true
        OrderedWork.run(count: paths.count, threads: Machine.cores) { index in
            do throws(PictureFault) {
                return Outcome(path: paths[index], result: .success(try find(index)))
            } catch {
                return Outcome(path: paths[index], result: .failure(error))
            }
        } deliver: { (outcome: Outcome<Finding>) in
            let (path, result) = (outcome.path, outcome.result)
            if case .failure = result { isFine = false }
            switch result {
            case .success(let finding) where asJSON:
                StandardOutput.line(JSONValue.object([("path", .string(path))] + finding.fields).text)
            case .success(let finding): StandardOutput.line(finding.text(path))
            case .failure(let fault) where asJSON:
                StandardOutput.line(JSONValue.object([("path", .string(path)), ("error", fault.json)]).text)
            case .failure(let fault): StandardError.line("firn: \(path): \(fault.message)")
            }
        }
        return isFine
    }

    private struct Outcome<Finding: PictureFinding>: Sendable {
        let path: String
        let result: Result<Finding, PictureFault>
    }
}

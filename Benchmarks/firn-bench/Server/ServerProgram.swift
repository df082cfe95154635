import FirnSystem
import FoundationEssentials

/// A server in processes of its own: what it uses, and its end.
///
/// Leads a session, so that its times and memory are those of all processes that it starts.
final class ServerProgram {
    let port: Int
    private let leader: pid_t
    private var isStopped = false

    /// Starts a program, which writes to a log, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - port: where it listens on 127.0.0.1.
    ///   - environment: further variables.
    /// - Returns: `nil`, after a message, if it cannot be started or does not accept within 20 seconds.
    init?(_ arguments: [String], port: Int, log: String, environment: [String: String] = [:]) {
        self.port = port
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, a macro that is not imported.
        posix_spawnattr_setflags(&attributes, 0x80)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables = all.map { strdup("\($0.key)=\($0.value)") }
        variables.append(nil)
        defer { for word in words + variables { free(word) } }
        var child = pid_t()
        guard posix_spawnp(&child, arguments[0], &actions, &attributes, words, variables) == 0 else {
            print("server: \(arguments[0]) is not installed here")
            return nil
        }
        leader = child
        let end = Stopwatch.wallNow + 20
        while Stopwatch.wallNow < end {
            if ServerConnection(port: port) != nil { return }
            usleep(20_000)
        }
        print("server: \(arguments[0]) does not respond; see \(log)")
        stop()
        return nil
    }

    deinit { stop() }

    /// Ends all its processes.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        for process in processes { kill(process, SIGKILL) }
        var status: Int32 = 0
        waitpid(leader, &status, 0)
    }

    /// The CPU time so far, user and system, in seconds; also that of processes that ended.
    var cpu: Double {
        let ticks = processes.reduce(0) { sum, process in
            let fields = ServerProgram.statistics(process)
            return sum + (fields.count > 15 ? fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) } : 0)
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The most memory that each running process had, in MiB, together: pages that they share count more than once.
    var peakMemory: Double {
        let kilobytes = processes.reduce(0) { sum, process in
            let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            return sum + (value ?? 0)
        }
        return Double(kilobytes) / 1024
    }

    /// The processes of the session.
    private var processes: [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let fields = ServerProgram.statistics(process)
            return fields.count > 3 && fields[3] == "\(leader)"
        }
    }

    /// The fields of proc_pid_stat(5) from the third on: state, parent, group, session, …
    private static func statistics(_ process: pid_t) -> [Substring] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The name before may have blanks and brackets.
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }
}

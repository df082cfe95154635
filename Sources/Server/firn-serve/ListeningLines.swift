import FirnReport
import FirnServe
import FirnSync

/// The lines that say where the server is. The line of images is the first, whichever port is open first.
struct ListeningLines: Sendable {
    private struct State {
        var isListening = false
        var admin: String?
    }

    let listen: ListenAddress
    let admin: ListenAddress?
    private let state = Locked(State())

    func listens(port: Int) {
        StandardOutput.line("listening on http://\(ListenAddress(host: listen.host, port: port))")
        let line = state.withLock { state in
            state.isListening = true
            return state.admin
        }
        if let line { StandardOutput.line(line) }
    }

    func hasAdmin(port: Int) {
        guard let admin else { return }
        let line = "admin on http://\(ListenAddress(host: admin.host, port: port))"
        let isFirstPrinted = state.withLock { state in
            state.admin = line
            return state.isListening
        }
        if isFirstPrinted { StandardOutput.line(line) }
    }
}

import CFirnCodecs
import FirnSystem

/// The reason for a worker's end, and the error for the image that it was decoding.
enum WorkerEnd: Error, Equatable {
    /// A signal ended it.
    case signal(Int32)
    /// It exited, or the zygote is gone.
    case gone
    /// It got no memory from the system, or reached its limit.
    case starved
    /// Its replies make no sense.
    case nonsense
    /// It exceeded the time limit of a call, and was killed.
    case late
    /// The caller stopped the decode.
    case cancelled
    /// It could not be confined.
    case unconfined(String)
    /// No process could be started.
    case unavailable(String)
    /// The program did not start a process in time.
    case silent

    /// Returns the end for a process that could not be started, with the system's reason.
    ///
    /// - Parameter code: the system's error. Default: `errno`.
    static func refused(_ what: String, _ code: Int32 = errno) -> WorkerEnd {
        .unavailable("\(what): \(String(cString: strerror(code)).lowercased())")
    }

    /// Reads the wait status of an ended process.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        let exit = (waitStatus >> 8) & 0xFF
        self = signal != 0 ? .signal(signal) : exit == FIRN_WORKER_STARVED ? .starved : .gone
    }

    /// True if the worker failed in the middle of a call.
    var isDeath: Bool {
        switch self {
        case .signal, .gone, .nonsense, .starved, .late: true
        case .cancelled, .unconfined, .unavailable, .silent: false
        }
    }

    /// Returns what the end proves about the file; `nil` for nothing.
    func evidence(_ limits: ImageLimits) -> CrashMemory.Evidence? {
        switch self {
        // The system kills workers when its memory runs out.
        case .signal(SIGKILL): nil
        case .signal(SIGXCPU), .late: .time(limits.maximumDecodingTime)
        case .signal, .gone: .crash
        case .starved: .memory(limits.maximumWorkingBytes)
        // A reply that violates the protocol may be this program's fault.
        case .nonsense, .cancelled, .unconfined, .unavailable, .silent: nil
        }
    }

    /// The error of the decode.
    var error: ImageError {
        switch self {
        case .late, .signal(SIGXCPU): .late
        case .signal(SIGKILL):
            ImageError(.limit, at: .decoding, "the decoder was killed; the system may have no memory left")
        case .signal(SIGSYS):
            ImageError(.data, at: .decoding, "the decoder crashed: it made a system call that it may not make")
        case .signal(let number): ImageError(.data, at: .decoding, "the decoder crashed by signal \(number)")
        case .gone: ImageError(.data, at: .decoding, "the decoder ended early")
        case .nonsense: ImageError(.data, at: .decoding, "the decoder gave a result that makes no sense")
        case .starved:
            .limit("takes more memory to decode than allowed", "maximumWorkingBytes")
        case .cancelled: ImageError(.cancelled, at: .decoding, "the decode was cancelled")
        case .unconfined(let what):
            ImageError(
                .unsupported, at: .decoding, "firn-decoder cannot be confined on this system: \(what)",
                underlying: DecoderUnavailable(500))
        case .unavailable(let why):
            ImageError(
                .limit, at: .decoding, "firn-decoder cannot be started: \(why)", underlying: DecoderUnavailable(503))
        case .silent:
            ImageError(.limit, at: .decoding, "firn-decoder does not respond", underlying: DecoderUnavailable(504))
        }
    }
}

/// The cause of an image error that says nothing about the image: the decoder program does not work.
package struct DecoderUnavailable: Error {
    /// The status of an HTTP response: 504 if it does not respond in time, 503 if it cannot be started, 500 if it is
    /// missing or cannot be confined.
    package let responseStatus: Int

    package init(_ responseStatus: Int) { self.responseStatus = responseStatus }
}

extension DecodingWatch {
    /// Checks the clock and the cancellation flag for a worker.
    ///
    /// - Throws: ``WorkerEnd/cancelled`` or ``WorkerEnd/late``.
    func checkWorker() throws(WorkerEnd) {
        if !look() { throw ended?.isLate == true ? .late : .cancelled }
    }
}

import FirnImage
import FirnSystem

/// How a worker ended, and the error that this is for the image that it was decoding.
enum WorkerEnd: Error, Equatable {
    /// A signal ended it.
    case signal(Int32)
    /// It exited, or the zygote is gone.
    case gone
    /// The system gave it no memory, or its limit did.
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

    /// Reads the wait status of an ended process.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .gone : .signal(signal)
    }

    /// Whether the image's content is at fault, and the next attempt would end the same way.
    var isCrash: Bool {
        switch self {
        case .signal, .gone, .nonsense, .starved, .late: true
        case .cancelled, .unconfined, .unavailable: false
        }
    }

    /// The error of the decode.
    var error: ImageDecodingError {
        switch self {
        case .signal(SIGPROF), .signal(SIGXCPU):
            ImageDecodingError(.limit, "takes more CPU time than an image of its size may")
        case .signal(SIGSYS):
            ImageDecodingError(.data, "the decoder crashed: it made a system call that it may not make")
        case .signal(let number): ImageDecodingError(.data, "the decoder crashed by signal \(number)")
        case .gone: ImageDecodingError(.data, "the decoder ended early")
        case .nonsense: ImageDecodingError(.data, "the decoder gave a result that makes no sense")
        case .starved: ImageDecodingError(.limit, "takes more memory than an image of its size may")
        case .late:
            ImageDecodingError(.limit, "takes longer to decode than ImageLimits.maximumDecodingTime allows")
        case .cancelled: ImageDecodingError(.cancelled, "the decode was cancelled")
        case .unconfined(let what):
            ImageDecodingError(.unsupported, "firn-decoder cannot be confined on this system: \(what)")
        case .unavailable(let why): ImageDecodingError(.limit, "firn-decoder cannot be started: \(why)")
        }
    }
}

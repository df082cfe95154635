import FirnSystem

/// The machine this runs on.
package enum Machine {
    /// Processors in use, at least one.
    package static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

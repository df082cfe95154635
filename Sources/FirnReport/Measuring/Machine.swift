import FirnSystem

/// The machine of this process.
package enum Machine {
    /// The number of online processors, at least one.
    package static var cores: Int { max(1, Int(sysconf(Int32(clamping: _SC_NPROCESSORS_ONLN)))) }
}

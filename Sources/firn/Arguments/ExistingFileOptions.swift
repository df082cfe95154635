import ArgumentParser

/// What happens to sources whose output file exists.
struct ExistingFileOptions: ParsableArguments {
    @Flag(help: "Keep every existing file; its source then counts as done, and is not decoded.")
    var noClobber = false

    @Flag(
        help: """
            Work only on files that were changed after their output was written; the others count as done. Addresses \
            and other options are not compared.
            """)
    var newer = false

    func validate() throws {
        if noClobber, newer { throw ValidationError("--no-clobber and --newer exclude each other.") }
    }

    var rule: OutputPlaces.ExistingFiles { noClobber ? .keep : newer ? .keepNewer : .replaceOwn }
}

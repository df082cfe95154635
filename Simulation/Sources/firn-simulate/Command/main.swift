import FirnSystem

exit(Command.run(Array(CommandLine.arguments.dropFirst())))

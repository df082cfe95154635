/// Extends the completion scripts of ArgumentParser with the file names after `@`.
enum CompletionScript {
    static func completingLists(_ script: String, for shell: CompletionShell) -> String {
        switch shell {
        case .bash: script + "\n" + bash
        case .zsh: script.replacing("_firn() {\n", with: "_firn() {\n\(zsh)\n", maxReplacements: 1)
        case .fish: script + "\n" + fish
        default: script
        }
    }

    private static let bash = #"""
        # @list: the names of files behind the sign.
        _firn_with_lists() {
            if [[ "${2}" != @* ]]; then
                _firn "${@}"
                return
            fi
            local name
            COMPREPLY=()
            while IFS='' read -r name; do
                if [[ -d "${name}" ]]; then
                    name+='/'
                    compopt -o nospace 2>/dev/null
                fi
                COMPREPLY+=("@${name}")
            done < <(compgen -f -- "${2#@}")
        }

        complete -o filenames -F _firn_with_lists firn
        """#

    private static let zsh = #"""
            # @list: the names of files behind the sign.
            if [[ "${words[CURRENT]}" = @* ]]; then
                compset -P '@'
                _files
                return
            fi
        """#

    private static let fish = #"""
        # @list: the names of files behind the sign.
        complete -c firn -n 'string match -q -- "@*" (commandline -ct)' \
            -fa '(string replace -r "^" "@" -- (__fish_complete_path (string sub -s 2 -- (commandline -ct))))'
        """#
}

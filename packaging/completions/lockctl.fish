# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
# fish: what may come next, as lockctl itself knows it.

function __lockctl_complete
    set -l words (commandline -opc) "$(commandline -ct)"
    set -l found ($words[1] __complete -- $words[2..] 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path $words[-1]
    end
end

complete -c lockctl -f -a '(__lockctl_complete)'

# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
# bash: what may come next, as lockctl itself knows it.

_lockctl() {
    local line=${COMP_LINE:0:COMP_POINT} words word typed before='' breaks=${COMP_WORDBREAKS//[^:=]/}
    read -ra words <<<"$line"
    if [[ $line == *[[:space:]] ]]; then words+=(''); fi
    while ((${#words[@]} > 1)) && [[ ${words[0]} != "$1" ]]; do words=("${words[@]:1}"); done
    # What bash replaces begins behind the last of the signs that break words for it: "--server=sqlite:///".
    typed=${words[-1]}
    if [[ -n $breaks && $typed == *["$breaks"]* ]]; then before=${typed%"${typed##*["$breaks"]}"}; fi
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [[ -z ${word#"$before"} ]]; then continue; fi
        printf -v word %q "${word#"$before"}"
        COMPREPLY+=("$word")
    done < <("$1" __complete -- "${words[@]:1}" 2>/dev/null)
    if [[ ${COMPREPLY[0]-} == *[/:=] ]]; then compopt -o nospace 2>/dev/null; fi
}
# Where nothing is known, names of files.
complete -o default -F _lockctl lockctl

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
# check.sh MODEL EXPECTED SPIN_OPTIONS CC_OPTIONS PAN_OPTIONS: lets spin search every state of a model in the current
# directory. EXPECTED is "holds", or a piece of what must be found: a piece of the assertion, or "acceptance cycle".
set -eu
model=$1 expected=$2 spin_options=$3 cc_options=$4 pan_options=$5

for program in spin cc; do
    command -v "$program" >/dev/null || {
        echo "$program is not installed (Debian: spin, gcc)" >&2
        exit 1
    }
done
place=$(mktemp -d "$PWD/model.XXXXXX")
trap 'rm -rf "$place"' EXIT
cd "$place"

# The options are lists of words.
# shellcheck disable=SC2086
{
    spin $spin_options -a "$model" >spin.txt 2>&1 || true
    [ -e pan.c ] || {
        cat spin.txt >&2
        exit 1
    }
    cc -O2 -w -DMEMLIM=2048 $cc_options -o pan pan.c
    ./pan $pan_options >pan.txt 2>&1 || true
}
grep -E 'errors:|states, stored|memory usage|elapsed|^pan:' pan.txt || true

if [ "$expected" = holds ]; then
    # Neither a fault nor a search that ended early.
    if ! grep -q 'errors: 0$' pan.txt || grep -qE 'out of memory|search depth too small|not completed|aborted' pan.txt; then
        # shellcheck disable=SC2086
        spin $spin_options -t -p "$model" 2>/dev/null | tail -n 60 || true
        cat pan.txt >&2
        exit 1
    fi
elif ! grep -F "$expected" pan.txt | grep -q '^pan:1:'; then
    echo "not found: $expected" >&2
    cat pan.txt >&2
    exit 1
fi

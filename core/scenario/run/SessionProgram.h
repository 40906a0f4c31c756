// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

namespace lockscope::scenario {

/// The program lockscope-session: one session of a free run as a process of its own. What it is to do comes
/// by standard input, what happens to it goes to standard output (SessionProtocol.h). When its input ends,
/// it ends, within a second. Returns the exit code; mostly it ends the process itself.
int runSessionProgram(int argc, char** argv);

} // namespace lockscope::scenario

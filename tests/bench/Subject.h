// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QStringList>

#include <utility>
#include <vector>

namespace lockscope::bench {

/// A program of ours or somebody else's, as the subject of a measurement.
struct Spent {
    double cpuMs = 0; ///< user and system
    double memoryMb = 0; ///< resident when it was asked to end
    double peakMb = 0; ///< the most that was resident
    double elapsedMs = 0; ///< to its end
    QByteArray output; ///< standard output and error
};
using Environment = std::vector<std::pair<QByteArray, QByteArray>>;
/// The output of the program: a file, or a terminal of its own, which some programs need.
enum class WritesTo { File, Terminal };

/// Runs it for `seconds`, then interrupts it (it may also end by itself before).
Spent runFor(double seconds, const QStringList& command, const Environment& environment = {},
    WritesTo where = WritesTo::File);

/// Runs it until all of `lines` have come on standard output or error, and `settleSeconds` longer.
/// Milliseconds from before its start to each line, fewer if it ended or 20 s were over before; what was
/// resident at the end.
std::vector<double> timesToLines(const QStringList& command, const QList<QByteArray>& lines,
    const Environment& environment = {}, double* memoryMb = nullptr, double settleSeconds = 0);

} // namespace lockscope::bench

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/Lockctl.h"

#include <memory>
#include <vector>

namespace lockscope::test {

/// Commands of lockctl that run at the same time, each against a server that means harm.
class ProgramsGivenUp {
public:
    void start(const Lockctl& lockctl, const QStringList& commands);
    /// Each ends by itself, with an error, and has taken little memory.
    void areGivenUp();

private:
    struct Program {
        QString command;
        std::unique_ptr<QProcess> process;
        qint64 peak = 0; ///< kB
        qint64 took = 0; ///< ms
    };
    static void wasGivenUp(const Program& program);

    std::vector<Program> m_programs;
};

} // namespace lockscope::test

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/FaultyNetwork.h"
#include "tests/support/TestServer.h"

#include <memory>
#include <vector>

namespace lockscope::test {

/// Seventy databases that live, ten that can be cut off, ten ports that never answer and ten that refuse.
class HundredServers {
public:
    static constexpr int mortalCount = 10;

    explicit HundredServers(TestServer& server)
    {
        for (int i = 0; i < 70; ++i) {
            m_living << server.freshDatabase();
            m_all << m_living.back().toString();
        }
        for (int i = 0; i < mortalCount; ++i) {
            m_mortal.push_back(std::make_unique<FaultyNetwork>(server.freshDatabase()));
            m_all << m_mortal.back()->url().toString() << m_silent.database(i)
                  << QStringLiteral("postgresql://ann@127.0.0.1:1/refused%1").arg(i);
        }
    }

    const QStringList& all() const { return m_all; }
    const QList<db::ServerUrl>& living() const { return m_living; }
    FaultyNetwork& mortal(int number) { return *m_mortal[size_t(number % mortalCount)]; }

private:
    const SilentPort m_silent;
    std::vector<std::unique_ptr<FaultyNetwork>> m_mortal;
    QList<db::ServerUrl> m_living;
    QStringList m_all;
};

} // namespace lockscope::test

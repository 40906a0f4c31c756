// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/credentials/Secrets.h"

#include <QMap>

namespace lockscope::test {

/// Keeps the given passwords, until another answer is set. Any thread.
class FakeKeychain : public db::Keychain {
public:
    void answer(Outcome outcome)
    {
        const MutexLock guard(m_mutex);
        m_outcome = outcome;
    }
    QMap<QString, QString> kept() const
    {
        const MutexLock guard(m_mutex);
        return m_kept;
    }

    Answer read(const QString& key) override
    {
        const MutexLock guard(m_mutex);
        if (m_outcome != Outcome::Done)
            return {m_outcome, QStringLiteral("because it does")};
        return m_kept.contains(key) ? Answer{Outcome::Done, m_kept.value(key)}
                                    : Answer{Outcome::NotFound, {}};
    }
    Answer write(const QString& key, const QString& password) override
    {
        const MutexLock guard(m_mutex);
        if (m_outcome != Outcome::Done)
            return {m_outcome, QStringLiteral("no place for ") + password};
        m_kept.insert(key, password);
        return {};
    }
    Answer remove(const QString& key) override
    {
        const MutexLock guard(m_mutex);
        if (m_outcome != Outcome::Done)
            return {m_outcome, QStringLiteral("because it does")};
        return {m_kept.remove(key) > 0 ? Outcome::Done : Outcome::NotFound, {}};
    }

private:
    mutable Mutex m_mutex;
    Outcome m_outcome LOCKSCOPE_GUARDED_BY(m_mutex) = Outcome::Done;
    QMap<QString, QString> m_kept LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace lockscope::test

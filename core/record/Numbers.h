// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"
#include "core/record/FrameCodec.h"
#include "core/record/LockIntervals.h"
#include "core/record/RecordedLock.h"

#include <QHash>
#include <QSet>

namespace lockscope::record {

/// Gives texts, resources and parties their numbers in the file, and adds those that are new. Errors are kept
/// until they are asked for: numbers given after one mean nothing. What it remembers is bounded.
class Numbers final : public TextNumbers, public IntervalNumbers {
public:
    Numbers(Database& database, Engine engine, bool redacts);

    /// Reads what the file has. To call again after a transaction that was taken back.
    Result<void> load(qint64 keyFrame);
    /// Texts that were used before this key frame only, and resources and parties that nothing names, are out
    /// of the file now.
    void dropped(qint64 keyFrame);
    /// Makes this frame, which goes back to this key frame, the user of texts from now on.
    void setFrame(qint64 number, qint64 keyFrame)
    {
        m_frame = number;
        m_keyFrame = keyFrame;
    }
    Result<void> takeError() { return std::exchange(m_result, {}); }

    quint64 numberOf(const QString& text) override;
    StatementNumber numberOfStatement(const QString& text) override;
    qint64 numberOf(const Resource& resource) override;
    qint64 numberOfLockTableName(const QString& table, const QString& name) override;
    qint64 numberOf(const LockOwnerInfo& party, ServerTime started) override;
    qint64 numberOfFamily(const QString& statement) override;
    qint64 numberOfMode(const QString& mode);

private:
    struct Text {
        quint64 number;
        qint64 used;
    };
    StatementNumber numberOfValues(const QString& statement);
    bool isRedacted(const QString& statement) const;
    const QString& redacted(const QString& statement);
    qint64 numberOfResource(const RecordedLock& lock);
    void note(const Result<void>& result);
    qint64 stored(const char* statement, std::initializer_list<Value> values);
    void forgetTexts();

    Database& m_database;
    Engine m_engine;
    bool m_redacts;
    qint64 m_frame = 0;
    qint64 m_keyFrame = 0;
    quint64 m_lastText = 0;
    qint64 m_lastResource = 0;
    qint64 m_lastParty = 0;
    QHash<QString, Text> m_texts;
    QSet<QString> m_families; ///< of statements whose family is no text yet
    QHash<QString, QString> m_redacted;
    QHash<QStringList, qint64> m_resources;
    QHash<QStringList, qint64> m_parties;
    QHash<QString, qint64> m_modes;
    Result<void> m_result;
};

} // namespace lockscope::record

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Numbers.h"

#include "core/domain/SqlLexer.h"
#include "core/record/Damage.h"
#include "core/record/FrameCodec.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxKnown = 200'000; // texts in memory; a text that was forgotten stands twice in the file
constexpr qsizetype maxFamilies = 20'000; // of which one statement was seen
constexpr qsizetype maxValues = 1'000; // characters: more are not written again with each key frame

} // namespace

Numbers::Numbers(Database& database, Engine engine, bool redacts)
    : m_database(database)
    , m_engine(engine)
    , m_redacts(redacts)
{
}

Result<void> Numbers::load(qint64 keyFrame)
{
    setFrame(keyFrame, keyFrame);
    m_texts.clear();
    m_resources.clear();
    m_parties.clear();
    m_modes.clear();
    m_lastText = 0;
    m_result = {};
    bool isDamaged = false;
    LOCKSCOPE_TRY(m_database.run(
        "recording/recording/texts", {qint64(maxKnown) / 2}, [this, &isDamaged](const Database::Row& row) {
            const auto number = static_cast<quint64>(row.number(0));
            isDamaged = isDamaged || row.number(3) != checksumOf(row.number(0), {row.text(1)});
            m_lastText = std::max(m_lastText, number);
            m_texts.insert(row.text(1), {number, row.number(2)});
        }));
    if (isDamaged)
        return otherChecksum(u"A text of the recording"_s);
    LOCKSCOPE_TRY_GET(m_lastResource, m_database.number("recording/recording/last_resource"));
    LOCKSCOPE_TRY_GET(m_lastParty, m_database.number("recording/recording/last_party"));
    return {};
}

void Numbers::dropped(qint64 keyFrame)
{
    for (auto it = m_texts.begin(); it != m_texts.end();)
        it = it->used < keyFrame ? m_texts.erase(it) : std::next(it);
    m_resources.clear();
    m_parties.clear();
}

void Numbers::note(const Result<void>& result)
{
    if (m_result && !result)
        m_result = result;
}

/// The number that the file has for it; 0: none.
qint64 Numbers::stored(const char* statement, std::initializer_list<Value> values)
{
    qint64 number = 0;
    note(m_database.run(statement, values, [&number](const Database::Row& row) {
        number = row.number(0);
        return false;
    }));
    return number;
}

void Numbers::forgetTexts()
{
    for (auto it = m_texts.begin(); it != m_texts.end();)
        it = it->used < m_keyFrame ? m_texts.erase(it) : std::next(it);
    if (m_texts.size() > maxKnown / 2) // else all would be gone through again soon, and again
        m_texts.clear();
    m_redacted.clear();
}

quint64 Numbers::numberOf(const QString& text)
{
    if (text.isNull())
        return 0;
    const auto found = m_texts.find(text);
    if (found != m_texts.end()) {
        if (found->used != m_keyFrame) {
            found->used = m_keyFrame;
            note(m_database.run("recording/recording/use_text", {qint64(found->number), m_keyFrame}));
        }
        return found->number;
    }
    if (m_texts.size() >= maxKnown)
        forgetTexts();
    const quint64 number = ++m_lastText;
    note(m_database.run("recording/recording/add_text",
        {qint64(number), text, m_keyFrame, qint64(checksumOf(qint64(number), {text})), m_frame}));
    m_texts.insert(text, {number, m_keyFrame});
    return number;
}

StatementNumber Numbers::numberOfStatement(const QString& text)
{
    if (text.isEmpty())
        return {numberOf(text)};
    return isRedacted(text) ? StatementNumber{numberOf(redacted(text))} : numberOfValues(text);
}

bool Numbers::isRedacted(const QString& statement) const
{
    return m_redacts || revealsSecrets(statement);
}

const QString& Numbers::redacted(const QString& statement)
{
    if (m_redacted.size() >= maxKnown)
        m_redacted.clear();
    QString& redacted = m_redacted[statement];
    if (redacted.isNull())
        redacted = withoutLiterals(statement, m_engine);
    return redacted;
}

/// Statements that differ by their values only have the same one; 0: there is no statement.
qint64 Numbers::numberOfFamily(const QString& statement)
{
    if (statement.isEmpty())
        return 0;
    const QString text = isRedacted(statement) ? redacted(statement) : statement;
    const auto parts = StatementParts::of(text, m_engine);
    return static_cast<qint64>(numberOf(parts ? parts->family : text));
}

/// The first statement of a family stands in the file as it is, for many have no second one.
StatementNumber Numbers::numberOfValues(const QString& statement)
{
    if (m_texts.contains(statement))
        return {numberOf(statement)};
    const auto parts = StatementParts::of(statement, m_engine);
    if (!parts || (!m_texts.contains(parts->family) && !m_families.contains(parts->family))) {
        if (m_families.size() >= maxFamilies)
            m_families.clear();
        if (parts)
            m_families.insert(parts->family);
        return {numberOf(statement)};
    }
    const QString values = parts->valueText();
    if (values.size() > maxValues)
        return {numberOf(statement)};
    return {numberOf(parts->family), values};
}

qint64 Numbers::numberOfResource(const RecordedLock& lock)
{
    const auto& [kind, database, identity, name] = lock;
    if (m_resources.size() >= maxKnown)
        m_resources.clear();
    qint64& number = m_resources[{kind, database, identity, name}];
    if (number == 0)
        number = stored("recording/recording/resource", {kind, database, identity, name});
    if (number == 0) {
        number = ++m_lastResource;
        note(m_database.run("recording/recording/add_resource", {number, kind, database, identity, name}));
    }
    return number;
}

qint64 Numbers::numberOf(const Resource& resource)
{
    return numberOfResource(recordedLock(resource));
}

qint64 Numbers::numberOfLockTableName(const QString& table, const QString& name)
{
    return numberOfResource(recordedLock(LockTableKey{table, name}));
}

qint64 Numbers::numberOf(const LockOwnerInfo& party, ServerTime started)
{
    if (m_parties.size() >= maxKnown)
        m_parties.clear();
    qint64& number = m_parties[{QString::number(party.session.value), QString::number(started.us),
        u""_s + party.owner, u""_s + party.program, u""_s + party.host}];
    if (number == 0)
        number = stored("recording/recording/party",
            {party.session.value, started.us, u""_s + party.owner, u""_s + party.program,
                u""_s + party.host});
    if (number == 0) {
        number = ++m_lastParty;
        note(m_database.run("recording/recording/add_party",
            {number, party.session.value, started.us, u""_s + party.owner, u""_s + party.program,
                u""_s + party.host}));
    }
    return number;
}

qint64 Numbers::numberOfMode(const QString& mode)
{
    const QString name = u""_s + mode;
    if (m_modes.size() >= maxKnown)
        m_modes.clear();
    qint64& number = m_modes[name];
    if (number == 0)
        number = stored("recording/recording/mode", {name});
    if (number == 0) {
        note(m_database.run("recording/recording/add_mode", {name}));
        number = m_database.lastId();
    }
    return number;
}

} // namespace lockscope::record

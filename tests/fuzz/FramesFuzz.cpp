// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameCodec.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

using namespace record;

namespace {

/// A few texts that a recording has; those that are given get numbers after them.
class FewTexts final : public TextSource, public TextNumbers {
public:
    std::optional<QString> text(quint64 number) override
    {
        if (number == 0 || number > quint64(m_texts.size()))
            return std::nullopt;
        return m_texts[qsizetype(number) - 1];
    }
    quint64 numberOf(const QString& text) override
    {
        if (text.isNull())
            return 0;
        qsizetype at = m_texts.indexOf(text);
        if (at < 0) {
            at = m_texts.size();
            m_texts << text;
        }
        return quint64(at) + 1;
    }

private:
    QStringList m_texts{QStringLiteral("db1"), QStringLiteral("AccessExclusiveLock"), QStringLiteral(""),
        QStringLiteral("prisma\u001fmigrate\u001fPrisma\u001fmigration lock\u001fits key\u001f1"),
        QStringLiteral("SELECT \u0002, \u0002")};
};

/// A snapshot with a row of each kind, so that frames have something to copy.
SnapshotPtr before()
{
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->takenAt = {1'795'387'821'000'000};
    snapshot->server = QStringLiteral("db1");
    snapshot->sessions.resize(2);
    snapshot->sessions[0].id = SessionId{51};
    snapshot->sessions[1].id = SessionId{63};
    snapshot->resources.resize(1);
    snapshot->resources[0].name = QStringLiteral("public.orders");
    snapshot->requests.resize(2);
    snapshot->requests[0].session = SessionId{51};
    snapshot->requests[1].session = SessionId{63};
    snapshot->entries.resize(1);
    snapshot->entryWaiters.resize(1);
    snapshot->limitations.resize(1);
    snapshot->unreadTables.resize(1);
    snapshot->index();
    return snapshot;
}

void check(const Snapshot& start, const QByteArray& frame)
{
    FewTexts texts;
    const auto read = decodeFrame(start, frame, texts);
    if (!read) {
        if (read.error().kind != ErrorKind::BadInput || read.error().what.isEmpty())
            qFatal("refused without a reason");
        return;
    }
    const Snapshot& got = **read;
    for (const LockRequest& request : got.requests)
        if (request.resource >= got.resources.size())
            qFatal("a request of no resource");
    const auto again = decodeFrame(Snapshot(), encodeFrame(Snapshot(), got, texts), texts);
    if (!again || (*again)->takenAt != got.takenAt || (*again)->sessions.size() != got.sessions.size()
        || (*again)->resources.size() != got.resources.size()
        || (*again)->requests.size() != got.requests.size() || (*again)->waits.size() != got.waits.size()
        || (*again)->entries.size() != got.entries.size() || (*again)->entryWaiters != got.entryWaiters)
        qFatal("what was read is not what is written of it");
}

} // namespace

/// Feeds bytes to what reads a recording's frames, packed and not, after nothing and after a snapshot; aborts
/// if what is accepted does not become the same again, or unpacked bytes are more than may be.
static void fuzzFrames(const QByteArray& bytes)
{
    static const SnapshotPtr start = before();
    check(Snapshot(), bytes);
    check(*start, bytes);
    const auto plain = unpacked(bytes);
    if (!plain)
        return;
    check(*start, *plain);
    const auto again = unpacked(packed(*plain));
    if (!again || *again != *plain)
        qFatal("what was packed is not unpacked again");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzFrames)

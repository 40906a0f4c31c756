// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerRingBuffer.h"

#include "core/base/Sentences.h"

#include <QCryptographicHash>
#include <QRegularExpression>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype wholeTag = 1'000; ///< within so many characters the first tag is closed

bool isSelected(QStringView event)
{
    const qsizetype end = event.indexOf(u'>');
    const QStringView tag = event.left(end < 0 ? event.size() : end);
    return tag.contains(u"xml_deadlock_report") || tag.contains(u"blocked_process_report");
}

} // namespace

Result<bool> SqlServerRingBuffer::read(
    SqlServerQuestions& questions, const QString& place, ReportIntake& intake, SourcePoll& poll)
{
    m_limits.clear();
    QString content;
    const auto asked = questions.ask(
        m_isAzureDatabase ? "sqlserver/deadlocks/target_of_database" : "sqlserver/deadlocks/target",
        {m_session, u"ring_buffer"_s}, [&content](const db::Row& row) { content = row.text(0); });
    if (!asked) {
        const Error& error = asked.error();
        if (SqlServerQuestions::isFatal(error) || error.kind == ErrorKind::Permission)
            return Failure(error);
        m_limits << asSentence(u"The ring buffer of %1 can't be read: %2"_s.arg(m_session, error.detail));
        poll.limits << m_limits;
        return false;
    }
    take(content, place, intake, poll);
    poll.limits << m_limits;
    return true;
}

void SqlServerRingBuffer::take(
    const QString& content, const QString& place, ReportIntake& intake, SourcePoll& poll)
{
    static const QRegularExpression cut(u"\\btruncated=\"([^\"]*)\""_s);
    poll.bytesRead += content.size() * qint64(sizeof(QChar));
    QSet<QByteArray> now;
    bool isTorn = false;
    qsizetype at = content.indexOf(u"<event "_s);
    const auto match = cut.match(content.left(at < 0 ? wholeTag : at));
    while (at >= 0) {
        const qsizetype next = content.indexOf(u"<event "_s, at + 1);
        qsizetype end = content.indexOf(u"</event>"_s, at);
        isTorn = isTorn || end < 0;
        if (end < 0)
            break;
        end += 8;
        const QStringView event = QStringView(content).mid(at, end - at);
        if (isSelected(event)) {
            const QByteArray hash = QCryptographicHash::hash(
                QByteArray::fromRawData(reinterpret_cast<const char*>(event.utf16()), event.size() * 2),
                QCryptographicHash::Md5);
            now.insert(hash);
            // What is known would only be parsed for nothing.
            if (!m_before.contains(hash)) {
                const qint64 bytes = poll.bytesRead;
                intake.take(event.toString(), place, !m_isBegun, poll);
                poll.bytesRead = bytes; // counted above
            }
        }
        at = next < 0 || next >= end ? next : content.indexOf(u"<event "_s, end);
    }
    isTorn = isTorn
        || (!content.isEmpty() && !content.trimmed().endsWith(u"/RingBufferTarget>"_s)
            && !content.trimmed().endsWith(u"/>"_s));
    if (isTorn || (match.hasMatch() && match.captured(1) != u"0"_s))
        m_limits
            << u"The ring buffer of %1 holds more than the 4 MB that the server shows of it: the newest reports may be missing. Events in files have no such limit, and a ring buffer with a MAX_MEMORY of 1024 KB is returned whole."_s
                   .arg(m_session);
    m_before = std::move(now);
    m_isBegun = true;
}

} // namespace lockscope::deadlock

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/ReadReports.h"

#include "core/base/Utf8.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/SqlServerReport.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringDecoder>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Returns the form of UTF-16 of a text without a mark: every second byte of plain text is zero.
std::optional<QStringConverter::Encoding> bareUtf16(const QByteArray& bytes)
{
    const qsizetype looked = std::min<qsizetype>(bytes.size(), 512) & ~qsizetype(1);
    qsizetype even = 0;
    qsizetype odd = 0;
    for (qsizetype i = 0; i < looked; i += 2) {
        even += bytes[i] == 0 ? 1 : 0;
        odd += bytes[i + 1] == 0 ? 1 : 0;
    }
    if (looked < 4 || even + odd < looked / 4)
        return std::nullopt;
    if (odd > 0 && even == 0)
        return QStringConverter::Utf16LE;
    if (even > 0 && odd == 0)
        return QStringConverter::Utf16BE;
    return std::nullopt;
}

Result<QString> textOf(const QByteArray& bytes, const QString& place)
{
    auto encoding = QStringConverter::encodingForData(bytes);
    if (!encoding || *encoding == QStringConverter::Utf8)
        if (const auto bare = bareUtf16(bytes))
            encoding = bare;
    if (encoding && *encoding != QStringConverter::Utf8)
        return QString(QStringDecoder(*encoding).decode(bytes)).remove(QChar::ByteOrderMark);
    if (bytes.left(65'536).contains('\0'))
        return failure(ErrorKind::BadInput, u"%1 is no text."_s.arg(place),
            u"A file of extended events (.xel) is read by the server: SELECT CAST(event_data AS xml) FROM "
            "sys.fn_xe_file_target_read_file('FILE', NULL, NULL, NULL). Save what that gives."_s);
    QStringDecoder strict(QStringConverter::Utf8, QStringConverter::Flag::Stateless);
    QString text = strict.decode(bytes);
    if (strict.hasError())
        text = textFromUtf8({bytes.constData(), size_t(bytes.size())});
    if (text.startsWith(QChar::ByteOrderMark))
        text.remove(0, 1);
    return text;
}

bool looksLikeCsvlog(const QString& text)
{
    static const QRegularExpression record(
        u"^\"?\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)? [A-Za-z0-9+:-]+\"?,"_s,
        QRegularExpression::MultilineOption);
    return record.match(QStringView(text).left(20'000).toString()).hasMatch();
}

QList<ReportPtr> readText(const QString& text, const QString& place)
{
    QList<ReportPtr> reports;
    if (text.contains(u"<deadlock"_s, Qt::CaseInsensitive)
        || text.contains(u"<blocked-process-report"_s, Qt::CaseInsensitive)
        || text.contains(u"lt;deadlock"_s, Qt::CaseInsensitive))
        reports << readSqlServerXml(text, place);
    if (text.contains(u"process-list"_s) || text.contains(u"Wait-for graph"_s))
        if (reports.isEmpty())
            reports << readSqlServerLog(text, place);
    // Also where a report of SQL Server was found: it may only be in a statement of a log.
    QList<ReportPtr> ofPostgres;
    if (text.contains(u"40P01"_s)) {
        if (looksLikeCsvlog(text))
            ofPostgres << readPostgresCsv(text, place);
        ofPostgres << readPostgresJson(text, place);
    }
    if (ofPostgres.isEmpty())
        ofPostgres << readPostgresText(text, place);
    return reports + ofPostgres;
}

} // namespace

Result<QList<ReportPtr>> readReports(const QByteArray& bytes, const QString& place)
{
    if (bytes.size() > maxFileBytes)
        return failure(
            ErrorKind::BadInput, u"%1 is larger than 256 MB."_s.arg(place), u"Cut it into pieces."_s);
    const auto text = textOf(bytes, place);
    if (!text)
        return Failure(text.error());
    QList<ReportPtr> reports;
    KnownDeadlocks known;
    for (const ReportPtr& report : readText(*text, place)) {
        if (known.isNew(report))
            reports << report;
    }
    return reports;
}

Result<QList<ReportPtr>> readReportFile(const QString& path)
{
    QFile file(path);
    // A pipe has no size and may never end.
    if (QFileInfo(path).isDir() || !file.open(QIODevice::ReadOnly)) {
        Error error{ErrorKind::BadInput, u"Can't read %1."_s.arg(path), {}, {}, {}, {}};
        error.detail = QFileInfo(path).isDir() ? u"It is a folder."_s : file.errorString();
        return Failure(error);
    }
    const QByteArray bytes = file.read(maxFileBytes + 1);
    if (file.error() != QFileDevice::NoError)
        return Failure(
            Error{ErrorKind::BadInput, u"Can't read %1."_s.arg(path), {}, file.errorString(), {}, {}});
    return readReports(bytes, path);
}

QString countText(const QList<ReportPtr>& reports)
{
    qsizetype count = 0;
    qsizetype telling = 0;
    for (const ReportPtr& report : reports) {
        const qsizetype ofReport = deadlocksOf(report).size();
        count += ofReport;
        telling += ofReport == 0 ? 0 : 1;
    }
    if (count == 0)
        return u"no deadlock"_s;
    const QString deadlocks = count == 1 ? u"1 deadlock"_s : u"%1 deadlocks"_s.arg(count);
    return telling == count
        ? deadlocks
        : u"%1 in %2"_s.arg(deadlocks, telling == 1 ? u"1 report"_s : u"%1 reports"_s.arg(telling));
}

} // namespace lockscope::deadlock

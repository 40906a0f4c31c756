// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ByHand.h"

#include "core/admin/RowAct.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"

#include <QRegularExpression>
#include <QUuid>

#include <algorithm>
#include <functional>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

QString inQuotes(QString text)
{
    return u'\'' + text.replace(u'\'', u"''"_s) + u'\'';
}

QString postgresLiteral(const QString& text)
{
    const bool isPlain = std::none_of(
        text.begin(), text.end(), [](QChar character) { return character == u'\\' || steers(character); });
    if (isPlain)
        return inQuotes(text);
    QString escaped; // as E'…', whatever standard_conforming_strings says
    for (const QChar character : text) {
        if (character == u'\\')
            escaped += u"\\\\"_s;
        else if (steers(character))
            escaped += u"\\u%1"_s.arg(uint(character.unicode()), 4, 16, QChar(u'0'));
        else
            escaped += character;
    }
    return u'E' + inQuotes(escaped);
}

/// Pieces in quotes, and between them what must not stand in the text as it is.
QString inPieces(const QString& text, const QString& open, const QString& code, const QString& joined,
    const std::function<bool(qsizetype)>& isCut)
{
    QStringList pieces;
    QString piece;
    const auto end = [&] {
        if (!piece.isEmpty())
            pieces << open + inQuotes(piece);
        piece.clear();
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (steers(text[i])) {
            end();
            pieces << code.arg(text[i].unicode());
        } else {
            piece += text[i];
            if (isCut(i))
                end();
        }
    }
    end();
    if (pieces.isEmpty())
        return open + u"''"_s;
    return pieces.size() == 1 ? pieces.first() : u'(' + pieces.join(joined) + u')';
}

QString sqlServerLiteral(const QString& text)
{
    // sqlcmd fills in $(name), also within quotes.
    return inPieces(text, u"N"_s, u"NCHAR(%1)"_s, u" + "_s,
        [&text](qsizetype i) { return text[i] == u'$' && text.mid(i + 1, 1) == u"("; });
}

QString sqliteLiteral(const QString& text)
{
    return inPieces(text, {}, u"char(%1)"_s, u" || "_s, [](qsizetype) { return false; });
}

QString number(qint64 value)
{
    return QString::number(value);
}

QString endUnitOfWork(const QUuid& unit)
{
    const QString name = unit.toString(QUuid::WithoutBraces).toUpper();
    return statementByHand(Engine::SqlServer, "by_hand/end_unit_of_work", {{u"unit"_s, name}});
}

QString entryByHand(const db::ServerProfile& profile, const LockTableEntry& shown, const char* ours)
{
    const Engine engine = profile.url.engine;
    if (shown.framework)
        return rowActByHand(db::Dialect::of(engine), shown);
    return statementByHand(
        engine, ours, {{u"entry"_s, textLiteral(engine, shown.name)}, {u"fencing"_s, number(shown.fencing)}});
}

} // namespace

QString statementByHand(Engine engine, const char* name, const StatementParts& parts)
{
    static const QRegularExpression place(u"\\{(\\w+)\\}"_s);
    const QByteArray path = QByteArray(db::Dialect::of(engine).schemaFolder()) + '/' + name;
    const QString sql = QString::fromUtf8(db::Statement::get(path.constData()).sql());
    QString text;
    qsizetype done = 0;
    for (auto found = place.globalMatch(sql); found.hasNext();) {
        const auto match = found.next();
        Q_ASSERT_X(parts.contains(match.captured(1)), name, qPrintable(match.captured()));
        text += QStringView(sql).mid(done, match.capturedStart() - done);
        text += parts.value(match.captured(1));
        done = match.capturedEnd();
    }
    text += QStringView(sql).mid(done);
    // sqlcmd sends what it was given when it reads GO.
    static constexpr PerEngine<const char16_t*> ends{.postgres = u";", .sqlServer = u";\nGO", .sqlite = u";"};
    return text + QString::fromUtf16(ends[engine]);
}

QString textLiteral(Engine engine, const QString& text)
{
    static constexpr PerEngine<QString (*)(const QString&)> literals{
        .postgres = postgresLiteral, .sqlServer = sqlServerLiteral, .sqlite = sqliteLiteral};
    return literals[engine](text);
}

QString endByHand(Engine engine, const Session& shown)
{
    if (shown.system || !db::Dialect::of(engine).can(db::Capability::EndSession))
        return {};
    if (const QUuid unit(shown.unitOfWork); !unit.isNull())
        return endUnitOfWork(unit);
    if (shown.id.value <= 0 || !shown.started.isValid())
        return {};
    return statementByHand(engine, "by_hand/end_session",
        {{u"id"_s, number(shown.id.value)}, {u"started"_s, number(shown.started.us)}});
}

QString cancelByHand(Engine engine, const Session& shown)
{
    if (!db::Dialect::of(engine).can(db::Capability::CancelStatement) || shown.system || shown.id.value <= 0
        || !shown.started.isValid())
        return {};
    return statementByHand(engine, "by_hand/cancel_session",
        {{u"id"_s, number(shown.id.value)}, {u"started"_s, number(shown.started.us)},
            {u"statement"_s, number(shown.statementStarted ? shown.statementStarted->us : 0)}});
}

QString releaseByHand(const db::ServerProfile& profile, const LockTableEntry& shown)
{
    return entryByHand(profile, shown, "by_hand/release_entry");
}

QString purgeByHand(const db::ServerProfile& profile, const QList<LockTableEntry>& shown)
{
    QStringList statements;
    for (const LockTableEntry& entry : shown)
        statements << entryByHand(profile, entry, "by_hand/purge_entry");
    statements.removeAll(QString());
    return statements.join(u'\n');
}

} // namespace lockscope::admin

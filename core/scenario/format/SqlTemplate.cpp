// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/SqlTemplate.h"

#include "core/db/Dialect.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxIdentifierLength = 63; ///< PostgreSQL's limit, the smallest

bool startsName(QChar c)
{
    return c == u'_' || (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z');
}

bool continuesName(QChar c)
{
    return startsName(c) || (c >= u'0' && c <= u'9');
}

qsizetype endOfName(QStringView text, qsizetype at)
{
    while (at < text.size() && continuesName(text[at]))
        ++at;
    return at;
}

/// Past the next `end` from `from` on, or the end of the text.
qsizetype past(QStringView text, QStringView end, qsizetype from)
{
    const auto found = text.indexOf(end, from);
    return found < 0 ? text.size() : found + end.size();
}

/// "$tag$" or "$$" at this place; empty if there is none.
QStringView dollarTag(QStringView text, qsizetype at)
{
    const qsizetype end = endOfName(text, at + 1);
    const bool isTag = end < text.size() && text[end] == u'$' && (end == at + 1 || startsName(text[at + 1]));
    return isTag ? text.sliced(at, end + 1 - at) : QStringView();
}

/// Past what is not ours to read at this place: a text, a quoted name, a comment, a cast. `at` if there is
/// no such thing.
qsizetype pastForeign(QStringView text, qsizetype at)
{
    const QStringView rest = text.sliced(at);
    if (rest.startsWith(u'\'') || rest.startsWith(u'"'))
        return past(text, text.sliced(at, 1), at + 1); // a doubled quote begins another one right away
    if (rest.startsWith(u"--"))
        return past(text, u"\n", at);
    if (rest.startsWith(u"/*"))
        return past(text, u"*/", at + 2);
    if (rest.startsWith(u"::"))
        return at + 2;
    if (rest.startsWith(u'$')) {
        const QStringView tag = dollarTag(text, at);
        if (!tag.isEmpty())
            return past(text, tag, at + tag.size());
    }
    return at;
}

} // namespace

SqlTemplate::SqlTemplate(const QString& text)
    : m_text(text)
{
    qsizetype plainFrom = 0;
    for (qsizetype at = 0; at < text.size();) {
        if (const qsizetype end = pastForeign(text, at); end > at) {
            at = end;
            continue;
        }
        const bool isValue = text[at] == u':';
        const bool isIdentifier = text[at] == u'{';
        const bool isNamed = at + 1 < text.size() && startsName(text[at + 1]);
        const qsizetype end = isNamed ? endOfName(text, at + 1) : at;
        const bool isClosed = end < text.size() && text[end] == u'}';
        if (!isNamed || !(isValue || (isIdentifier && isClosed))) {
            ++at;
            continue;
        }
        add(Piece::Kind::Plain, text.mid(plainFrom, at - plainFrom));
        add(isValue ? Piece::Kind::Value : Piece::Kind::Identifier, text.mid(at + 1, end - at - 1));
        at = plainFrom = isValue ? end : end + 1;
    }
    add(Piece::Kind::Plain, text.mid(plainFrom));
}

void SqlTemplate::add(Piece::Kind kind, const QString& text)
{
    if (!text.isEmpty())
        m_pieces.push_back({kind, text});
}

QStringList SqlTemplate::namesOf(Piece::Kind kind) const
{
    QStringList names;
    for (const Piece& piece : m_pieces)
        if (piece.kind == kind)
            names << piece.text;
    return names;
}

QStringList SqlTemplate::valueNames() const
{
    return namesOf(Piece::Kind::Value);
}

QStringList SqlTemplate::identifierNames() const
{
    return namesOf(Piece::Kind::Identifier);
}

SqlTemplate::Filled SqlTemplate::filled(
    Engine engine, const QString& title, const std::function<QString(const QString&)>& identifiers) const
{
    QString sql;
    QStringList values;
    for (const Piece& piece : m_pieces) {
        switch (piece.kind) {
        case Piece::Kind::Plain:
            sql += piece.text;
            break;
        case Piece::Kind::Value:
            // A place of its own each time: the server may give one a type that does not suit the other.
            values << piece.text;
            sql += db::Dialect::of(engine).parameterMarker(values.size());
            break;
        case Piece::Kind::Identifier:
            sql += identifiers(piece.text);
            break;
        }
    }
    return {db::Statement::ofUser(title, sql.toUtf8()), values};
}

QString SqlTemplate::shown(
    const Values& values, const std::function<QString(const QString&)>& identifiers) const
{
    QString sql;
    for (const Piece& piece : m_pieces) {
        if (piece.kind == Piece::Kind::Identifier)
            sql += identifiers(piece.text);
        else if (piece.kind == Piece::Kind::Value && values.contains(piece.text))
            sql += literalOf(values.value(piece.text));
        else
            sql += piece.kind == Piece::Kind::Value ? u':' + piece.text : piece.text;
    }
    return sql;
}

std::vector<db::Param> paramsOf(const SqlTemplate::Filled& filled, const Values& values)
{
    std::vector<db::Param> params;
    for (const QString& name : filled.values)
        params.push_back(values.value(name));
    return params;
}

NameTemplate::NameTemplate(const QString& text)
    : m_text(text)
{
    QString plain;
    for (qsizetype at = 0; at < text.size();) {
        const bool isColon = text[at] == u':';
        if (isColon && at + 1 < text.size() && text[at + 1] == u':') {
            plain += u':';
            at += 2;
        } else if (isColon && at + 1 < text.size() && startsName(text[at + 1])) {
            const qsizetype end = endOfName(text, at + 1);
            m_plain << plain;
            m_values << text.mid(at + 1, end - at - 1);
            plain.clear();
            at = end;
        } else {
            plain += text[at++];
        }
    }
    m_plain << plain;
}

QString NameTemplate::filled(const Values& values) const
{
    QString name = m_plain.value(0);
    for (qsizetype i = 0; i < m_values.size(); ++i)
        name += textOf(values.value(m_values[i])) + m_plain[i + 1];
    return name;
}

QString NameTemplate::shown(const Values& values) const
{
    QString name = m_plain.value(0);
    for (qsizetype i = 0; i < m_values.size(); ++i)
        name += (values.contains(m_values[i]) ? textOf(values.value(m_values[i])) : u':' + m_values[i])
            + m_plain[i + 1];
    return name;
}

QString literalOf(const db::Param& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return u"NULL"_s;
    if (const QString* const text = std::get_if<QString>(&value))
        return u'\'' + QString(*text).replace(u'\'', u"''"_s) + u'\'';
    return textOf(value);
}

QString textOf(const db::Param& value)
{
    struct Writer {
        QString operator()(std::monostate) const { return {}; }
        QString operator()(bool flag) const { return flag ? u"true"_s : u"false"_s; }
        QString operator()(qint64 number) const { return QString::number(number); }
        QString operator()(double number) const { return QString::number(number); }
        QString operator()(const QString& text) const { return text; }
        QString operator()(ServerTime time) const { return time.toIsoString(); }
    };
    return std::visit(Writer(), value);
}

db::Param valueOf(const QString& text)
{
    if (text.isNull())
        return std::monostate();
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    if (isNumber && QString::number(number) == text)
        return number;
    return text;
}

bool isPlainIdentifier(QStringView text)
{
    return !text.isEmpty() && text.size() <= maxIdentifierLength && startsName(text[0])
        && endOfName(text, 0) == text.size();
}

} // namespace lockscope::scenario

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/Scenario.h"

#include "core/base/EnumTable.h"
#include "core/db/Dialect.h"

#include <algorithm>

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

namespace {

QString kindName(locks::LockKind kind)
{
    static constexpr EnumTable<locks::LockKind> names(
        {u"lock-table entry", u"application lock", u"surrogate table", u"surrogate key"});
    return names[kind].toString();
}

QString modeName(locks::AcquireMode mode)
{
    static constexpr EnumTable<locks::AcquireMode> names(
        {u"", u", shared", u", update", u", intent shared", u", intent exclusive"});
    return names[mode].toString();
}

class StepTextWriter {
public:
    StepTextWriter(Engine engine, const Values& values, const QHash<QString, QString>& identifiers)
        : m_engine(engine)
        , m_values(values)
        , m_identifiers(identifiers)
    {
    }

    QString operator()(const SqlStep& step) const
    {
        const auto sql = step.sql.find(m_engine);
        const auto identifier = [this](const QString& name) { return m_identifiers.value(name, name); };
        return sql == step.sql.end() ? QString() : sql->second.shown(m_values, identifier).simplified();
    }
    QString operator()(const TransactionStep& step) const
    {
        switch (step.act) {
        case TransactionStep::Act::Begin:
            return u"BEGIN"_s;
        case TransactionStep::Act::Commit:
            return u"COMMIT"_s;
        case TransactionStep::Act::Rollback:
            break;
        }
        return u"ROLLBACK"_s;
    }
    QString operator()(const AcquireStep& step) const
    {
        QString text = u"acquire "_s + lockText(step, m_values);
        text += modeName(step.mode);
        const qint64 wait = step.waitMs.in(m_values);
        if (wait == 0)
            text += u", don't wait"_s;
        else if (wait > 0)
            text += u", wait at most %1 ms"_s.arg(wait);
        return text;
    }
    QString operator()(const ReleaseStep& step) const { return u"release the lock '%1'"_s.arg(step.as); }
    QString operator()(const TakeStep& step) const
    {
        return u"take the next %1 rows of %2, without those that others are taking"_s
            .arg(step.packet.in(m_values))
            .arg(step.queue.table);
    }
    QString operator()(const SettleStep& step) const
    {
        return step.isDone ? u"delete the rows that were taken"_s : u"give the rows back"_s;
    }
    QString operator()(const ThinkStep& step) const
    {
        const qint64 least = step.leastMs.in(m_values);
        const qint64 maximum = step.maxMs.in(m_values);
        return maximum > least ? u"pause %1 to %2 ms"_s.arg(least).arg(maximum) : u"pause %1 ms"_s.arg(least);
    }
    QString operator()(const DrawStep& step) const { return u"draw "_s + step.into; }
    QString operator()(const CriticalStep& step) const
    {
        return (step.begins ? u"enter the critical section '%1'"_s : u"leave the critical section '%1'"_s)
            .arg(step.name.shown(m_values));
    }
    QString operator()(const ProcessedStep& step) const
    {
        return u"%1 is processed"_s.arg(step.item.shown(m_values));
    }
    QString operator()(const EachStep& step) const { return u"for each %1 of %2"_s.arg(step.as, step.list); }
    QString operator()(const EachEndStep&) const { return u"next"_s; }
    QString operator()(const FailStep&) const { return u"make a mistake: the round ends here"_s; }
    QString operator()(const DieStep&) const { return u"crash: the connection is cut"_s; }
    QString operator()(const EndStep&) const { return u"end of the round"_s; }

private:
    const Engine m_engine;
    const Values& m_values;
    const QHash<QString, QString>& m_identifiers;
};

} // namespace

qint64 Amount::in(const Values& values) const
{
    if (name.isEmpty())
        return number;
    const db::Param value = values.value(name);
    const qint64* const known = std::get_if<qint64>(&value);
    return known ? *known : textOf(value).toLongLong();
}

const Variant* Scenario::find(QStringView variant) const
{
    const auto found =
        std::ranges::find_if(variants, [variant](const Variant& each) { return each.id == variant; });
    return found == variants.end() ? nullptr : &*found;
}

const Variant* Scenario::unsafe() const
{
    const auto found = std::ranges::find_if(variants, [](const Variant& each) { return each.isUnsafe; });
    return found == variants.end() ? nullptr : &*found;
}

bool Rules::isEmpty() const
{
    return !(oneHolder || processedOnce || inOrder || noDeadlock || noDuplicateKey || nobodyWaits
        || longestWaitMs);
}

QStringList Scenario::changed(const QHash<QString, QString>& values) const
{
    QStringList all;
    for (const Parameter& each : parameters) {
        const bool isNumber = each.type == Parameter::Type::Number;
        const QString byDefault = isNumber ? QString::number(each.byDefault) : each.identifier;
        const QString value = values.value(each.name, byDefault);
        if (isNumber ? value.toLongLong() != each.byDefault : value != byDefault)
            all << each.name + u'=' + value;
    }
    return all;
}

QString lockText(const AcquireStep& step, const Values& values)
{
    return u"%1 '%2'"_s.arg(kindName(step.kind), step.name.shown(values));
}

QString stepText(
    const Step& step, Engine engine, const Values& values, const QHash<QString, QString>& identifiers)
{
    return std::visit(StepTextWriter(engine, values, identifiers), step.act);
}

Tie tieOf(const Step& step, Engine engine)
{
    if (const auto* const transaction = std::get_if<TransactionStep>(&step.act))
        // In a file, it takes the lock on that.
        return transaction->act == TransactionStep::Act::Begin
                && db::Dialect::of(engine).can(db::Capability::LogIn)
            ? Tie::WithNext
            : Tie::None;
    if (const auto* const sql = std::get_if<SqlStep>(&step.act)) {
        // Settings are the session's own.
        const auto text = sql->sql.find(engine);
        const bool isSetting = text != sql->sql.end() && text->second.text().startsWith(u"SET ");
        return isSetting ? Tie::WithNext : Tie::None;
    }
    if (const auto* const critical = std::get_if<CriticalStep>(&step.act))
        // The longest stay overlaps whatever a shorter one would.
        return critical->begins ? Tie::WithPrevious : Tie::WithNext;
    return Tie::None;
}

StepReach reachOf(const Step& step, Engine engine, const StepReach& held)
{
    if (const auto* const transaction = std::get_if<TransactionStep>(&step.act))
        return transaction->act == TransactionStep::Act::Begin ? StepReach() : held;
    if (const auto* const sql = std::get_if<SqlStep>(&step.act)) {
        if (tieOf(step, engine) == Tie::WithNext)
            return {};
        return sql->touches ? StepReach{QSet<QString>(sql->touches->cbegin(), sql->touches->cend())}
                            : StepReach{std::nullopt};
    }
    if (const auto* const acquire = std::get_if<AcquireStep>(&step.act)) {
        const bool isNamed = acquire->kind == locks::LockKind::Application && acquire->name.isFixed()
            && acquire->waitMs.name.isEmpty() && acquire->waitMs.number < 0;
        return isNamed ? StepReach{QSet<QString>{u"lock "_s + acquire->name.text()}}
                       : StepReach{std::nullopt};
    }
    if (std::holds_alternative<ReleaseStep>(step.act))
        return held;
    return std::holds_alternative<EndStep>(step.act) ? StepReach() : StepReach{std::nullopt};
}

bool isReducible(const Variant& variant, Engine engine)
{
    bool isKnown = db::Dialect::of(engine).can(db::Capability::LogIn);
    eachStep(variant, [&](const Step& step) { isKnown &= reachOf(step, engine, {}).names.has_value(); });
    return isKnown;
}

} // namespace lockscope::scenario

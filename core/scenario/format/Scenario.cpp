// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/Scenario.h"

#include "core/base/EnumTable.h"
#include "core/db/Dialect.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

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
    const auto found = std::find_if(
        variants.begin(), variants.end(), [variant](const Variant& each) { return each.id == variant; });
    return found == variants.end() ? nullptr : &*found;
}

const Variant* Scenario::unsafe() const
{
    const auto found =
        std::find_if(variants.begin(), variants.end(), [](const Variant& each) { return each.isUnsafe; });
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

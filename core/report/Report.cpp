// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Report.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/Session.h"

#include <algorithm>

namespace lockscope::report {

using namespace Qt::StringLiterals;

Value::Value(std::optional<double> number)
{
    if (number)
        data = *number;
}

Value::Value(ServerTime time, bool exact)
    : isExact(exact)
{
    if (time.isValid())
        data = time.us;
}

Value Value::flag(bool is)
{
    Value value;
    value.data = is;
    return value;
}

Column::Column(Type what, const QString& name, const QString& heading, const QString& explanation)
    : key(name)
    , title(heading)
    , meaning(explanation)
    , type(what)
    , shown(heading.isEmpty() ? Shown::ToPrograms : Shown::Always)
{
}

QString Column::name() const
{
    return type == Type::Length ? key + u"_ms"_s : key;
}

const Section* Report::section(const QString& key) const
{
    const auto found = std::ranges::find(sections, key, &Section::key);
    return found == sections.end() ? nullptr : &*found;
}

QString timeText(ServerTime time, TimeForm form)
{
    if (form == TimeForm::Spaced || !time.isValid())
        return dateTimeText(time);
    return time.toIsoString().left(19) + u'Z'; // without fractions
}

namespace {

QString lengthText(microseconds length)
{
    if (length.count() <= 0)
        return u"0 s"_s;
    return length < std::chrono::minutes(1) ? shortDuration(length.count())
                                            : formatDuration(std::chrono::floor<milliseconds>(length));
}

QString numberText(double number)
{
    return QString::number(number, 'f', number < 10 ? 1 : 0);
}

} // namespace

QString shownText(const Column& column, const Value& value, TimeForm form)
{
    const QString bound = value.isExact ? QString() : column.bound == Bound::AtMost ? u"≤ "_s : u"≥ "_s;
    if (const auto* text = std::get_if<QString>(&value.data))
        return inOneLine(*text);
    if (const auto* texts = std::get_if<QStringList>(&value.data))
        return inOneLine(texts->join(u", "_s));
    if (const auto* flag = std::get_if<bool>(&value.data))
        return *flag ? u"yes"_s : u"no"_s;
    if (const auto* number = std::get_if<double>(&value.data))
        return bound + numberText(*number);
    if (const auto* number = std::get_if<qint64>(&value.data)) {
        switch (column.type) {
        case Type::Bytes:
            return bound + byteCountText(*number);
        case Type::Length:
            if (!value.isExact && *number == 0)
                break; // at least nothing is nothing known
            return bound + lengthText(microseconds(*number));
        case Type::Time:
            return bound + timeText({*number}, form);
        default:
            return bound + QString::number(*number);
        }
    }
    return u"–"_s;
}

} // namespace lockscope::report

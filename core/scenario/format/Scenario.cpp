// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/Scenario.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

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

} // namespace lockscope::scenario

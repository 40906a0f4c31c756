// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/ExecuteSql.h"

#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

QStringList declaredNames(const QString& declaration)
{
    static const QRegularExpression name(u"@\\w+"_s);
    QStringList names;
    for (auto match = name.globalMatch(declaration); match.hasNext();)
        names << match.next().captured();
    return names;
}

void nameByDeclaration(std::vector<Parameter>& parameters, const QString& declaration)
{
    const QStringList names = declaredNames(declaration);
    for (size_t i = 0; i < parameters.size() && i < static_cast<size_t>(names.size()); ++i)
        if (parameters[i].name.isEmpty())
            parameters[i].name = names[static_cast<qsizetype>(i)];
}

} // namespace lockscope::test::tds

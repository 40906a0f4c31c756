// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/FrameworkCells.h"

#include "core/base/Sentences.h"
#include "core/domain/Framework.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/widgets/ToolTipText.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ColumnInfo frameworkColumn()
{
    return {.id = u"framework"_s,
        .title = u"Framework"_s,
        .tip = u"The owner of the lock; with a question mark if another program may use the same one"_s,
        .width = 96,
        .yields = 1};
}

ColumnInfo frameworkLockColumn()
{
    return {.id = u"framework-lock"_s,
        .title = u"Its name"_s,
        .tip = u"The framework's name for the lock"_s,
        .width = 110,
        .stretch = 1,
        .yields = 5};
}

QString frameworkText(const FrameworkMatchPtr& match)
{
    return match ? inOneLine(match->badge()) : QString();
}

QString frameworkLockText(const FrameworkMatchPtr& match)
{
    return match ? match->name : QString();
}

QString frameworkTip(const FrameworkMatch& match)
{
    const QString purpose = match.lockDefinition ? match.lockDefinition->purpose : QString();
    const QString whose = match.certain
        ? u"%1: the framework whose lock this is."_s.arg(match.frameworkName)
        : u"Probably of %1; another program may use the same one."_s.arg(match.frameworkName);
    return inOneLine(sentences(
        {whose, purpose, match.evidence.isEmpty() ? QString() : u"Known by this: "_s + match.evidence}));
}

QVariant frameworkCell(const FrameworkMatchPtr& match, int role)
{
    if (!match)
        return {};
    if (role == TableModel::BadgeRole)
        return match->certain;
    if (role == Qt::ToolTipRole)
        return htmlText(frameworkTip(*match));
    return role == Qt::AccessibleDescriptionRole ? QVariant(frameworkTip(*match)) : QVariant();
}

} // namespace lockscope::ui

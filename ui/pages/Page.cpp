// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/Page.h"

namespace lockscope::ui {

Page::Page(QString id, QString title, AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_id(std::move(id))
    , m_title(std::move(title))
    , m_context(context)
{
    setObjectName(m_id);
}

void Page::setFilter(const QString& filter)
{
    Q_UNUSED(filter)
}

bool Page::reveal(const DetailSubject& subject)
{
    Q_UNUSED(subject)
    return false;
}

} // namespace lockscope::ui

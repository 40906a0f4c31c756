// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/PageStack.h"

namespace lockscope::ui {

namespace {

constexpr int narrowest = 560;

} // namespace

PageStack::PageStack(QWidget* parent)
    : QStackedWidget(parent)
{
    // The widest of the hidden pages must not keep the window from fitting a small screen.
    setMinimumWidth(narrowest);
}

void PageStack::add(Page* page)
{
    m_pages.append(page);
    addWidget(page);
    connect(page, &Page::openPage, this, &PageStack::show);
    connect(page, &Page::showSubject, this, &PageStack::reveal);
}

QStringList PageStack::ids() const
{
    QStringList ids;
    for (const Page* page : m_pages)
        ids << page->id();
    return ids;
}

Page& PageStack::current() const
{
    return *m_pages[currentIndex()];
}

bool PageStack::show(const QString& id, const QString& filter)
{
    for (int place = 0; place < static_cast<int>(m_pages.size()); ++place) {
        if (m_pages[place]->id().compare(id, Qt::CaseInsensitive) != 0)
            continue;
        setCurrentIndex(place);
        if (!filter.isEmpty())
            m_pages[place]->setFilter(filter);
        Q_EMIT pageShown(place);
        return true;
    }
    return false;
}

void PageStack::reveal(const QString& id, const DetailSubject& subject)
{
    show(id);
    if (!current().reveal(subject)) {
        current().setFilter({});
        current().reveal(subject);
    }
}

void PageStack::empty()
{
    for (Page* page : std::as_const(m_pages))
        page->showSnapshot(nullptr);
}

void PageStack::saveLayout()
{
    for (Page* page : std::as_const(m_pages))
        page->saveLayout();
}

} // namespace lockscope::ui

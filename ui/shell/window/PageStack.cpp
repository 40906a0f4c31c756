// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/PageStack.h"

#include <utility>

namespace lockscope::ui {

namespace {

constexpr QSize smallest(560, 420);

} // namespace

PageStack::PageStack(QWidget* parent)
    : QStackedWidget(parent)
{
    // The largest of the hidden pages must not keep the window from fitting a small screen.
    setMinimumSize(smallest);
}

void PageStack::add(Page* page)
{
    m_pages.append(page);
    page->setParent(this);
    page->hide();
    connect(page, &Page::openPage, this, &PageStack::show);
    connect(page, &Page::showSubject, this, &PageStack::reveal);
    connect(page, &Page::selectionDetail, this,
        [this, page](const DetailSubject& subject) { setSubject(page, subject); });
}

QStringList PageStack::ids() const
{
    QStringList ids;
    for (const Page* page : m_pages)
        ids << page->id();
    return ids;
}

bool PageStack::show(const QString& id, const QString& filter)
{
    for (int place = 0; place < static_cast<int>(m_pages.size()); ++place) {
        if (m_pages[place]->id().compare(id, Qt::CaseInsensitive) != 0)
            continue;
        m_place = place;
        if (indexOf(m_pages[place]) < 0)
            addWidget(m_pages[place]); // only now: a hidden page in the layout costs time at each start
        setCurrentWidget(m_pages[place]);
        if (!filter.isEmpty())
            m_pages[place]->setFilter(filter);
        Q_EMIT pageShown(place);
        Q_EMIT subjectChanged();
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

const DetailSubject& PageStack::subject() const
{
    static const DetailSubject nothing;
    const auto found = m_subjects.constFind(&current());
    return found == m_subjects.constEnd() ? nothing : *found;
}

void PageStack::setSubject(const Page* page, const DetailSubject& subject)
{
    m_subjects.insert(page, subject);
    if (page == &current())
        Q_EMIT subjectChanged();
}

void PageStack::follow(const DetailSubject& subject)
{
    Page& page = current();
    page.reveal(subject);
    setSubject(&page, subject);
}

void PageStack::empty()
{
    m_subjects.clear();
    for (Page* page : std::as_const(m_pages))
        page->showSnapshot(nullptr);
    Q_EMIT subjectChanged();
}

void PageStack::saveLayout()
{
    for (Page* page : std::as_const(m_pages))
        page->saveLayout();
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/PageStack.h"

#include <algorithm>
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

int PageStack::add(const PageName& name, Make make)
{
    m_places.push_back({.name = name, .make = std::move(make)});
    return static_cast<int>(m_places.size()) - 1;
}

QStringList PageStack::ids() const
{
    QStringList ids;
    for (const Place& each : m_places)
        ids << each.name.id;
    return ids;
}

int PageStack::placeOf(const QString& id) const
{
    const auto found = std::ranges::find_if(
        m_places, [&id](const Place& each) { return each.name.id.compare(id, Qt::CaseInsensitive) == 0; });
    return found == m_places.end() ? -1 : static_cast<int>(found - m_places.begin());
}

Page* PageStack::page(const QString& id)
{
    const int place = placeOf(id);
    return place < 0 ? nullptr : &pageAt(size_t(place));
}

Page& PageStack::pageAt(size_t place)
{
    if (Page* const made = m_places[place].page)
        return *made;
    Page* const page = m_places[place].page = m_places[place].make();
    page->setParent(this);
    page->hide();
    page->showSnapshot(nullptr); // as one that was emptied when the server on view came
    connect(page, &Page::openPage, this, &PageStack::show);
    connect(page, &Page::showSubject, this, &PageStack::reveal);
    connect(page, &Page::selectionDetail, this,
        [this, page](const DetailSubject& subject) { setSubject(page, subject); });
    Q_EMIT pageMade(page);
    return *page;
}

QList<Page*> PageStack::made() const
{
    QList<Page*> pages;
    for (const Place& each : m_places)
        if (each.page)
            pages << each.page;
    return pages;
}

void PageStack::makeAll()
{
    for (size_t place = 0; place < m_places.size(); ++place)
        pageAt(place);
}

bool PageStack::show(const QString& id, const QString& filter)
{
    const int place = placeOf(id);
    if (place < 0)
        return false;
    Page& page = pageAt(size_t(place));
    m_place = size_t(place);
    if (indexOf(&page) < 0)
        addWidget(&page); // only now: a hidden page in the layout costs time
    setCurrentWidget(&page);
    if (!filter.isEmpty())
        page.setFilter(filter);
    Q_EMIT pageShown(place);
    Q_EMIT subjectChanged();
    return true;
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
    if (page == m_places[m_place].page)
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
    for (Page* const page : made())
        page->showSnapshot(nullptr);
    Q_EMIT subjectChanged();
}

void PageStack::saveLayout()
{
    for (Page* const page : made())
        page->saveLayout();
}

bool PageStack::isRunning() const
{
    return std::ranges::any_of(made(), &Page::isRunning);
}

void PageStack::stop()
{
    for (Page* const page : made())
        if (page->isRunning())
            page->stop();
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/Page.h"

#include <QHash>
#include <QStackedWidget>

namespace lockscope::ui {

/// The pages of the window, of which one is on view. Only that one gets snapshots: a hidden one costs
/// nothing.
class PageStack : public QStackedWidget {
    Q_OBJECT

public:
    explicit PageStack(QWidget* parent = nullptr);

    void add(Page* page);
    const QList<Page*>& pages() const { return m_pages; }
    QStringList ids() const;
    Page& current() const { return *m_pages[m_place]; }
    /// False if there is no such page. An empty filter leaves the page's own.
    bool show(const QString& id, const QString& filter = {});
    /// Shows that page, with `subject` selected there: a filter of another time must not hide it.
    void reveal(const QString& id, const DetailSubject& subject);
    /// Returns the selection of the page on view; monostate = none.
    const DetailSubject& subject() const;
    /// Follows another subject there; also selects it if the page shows it.
    void follow(const DetailSubject& subject);
    /// Empties all pages: there is no server, or another one whose first snapshot is not here yet.
    void empty();
    void saveLayout();

Q_SIGNALS:
    void pageShown(int place);
    void subjectChanged();

private:
    void setSubject(const Page* page, const DetailSubject& subject);

    QList<Page*> m_pages; ///< those that were shown are in the stack
    int m_place = 0; ///< of the one on view
    QHash<const Page*, DetailSubject> m_subjects; ///< each page keeps its own
};

} // namespace lockscope::ui

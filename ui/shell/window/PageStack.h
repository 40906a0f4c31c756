// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/Page.h"

#include <QHash>
#include <QStackedWidget>

#include <vector>

namespace lockscope::ui {

/// The pages of the window, of which one is on view. Only that one gets snapshots, and each is made when it
/// is first shown: one that nobody looks at costs nothing.
class PageStack : public QStackedWidget {
    Q_OBJECT

public:
    explicit PageStack(QWidget* parent = nullptr);

    using Make = std::function<Page*()>;
    /// Returns its place. `make` is called once, when the page is needed.
    int add(const PageName& name, Make make);
    QStringList ids() const;
    /// To be called once a page was shown.
    Page& current() const { return *m_places[m_place].page; }
    /// Makes that page if it is not there yet. Null: there is no such page.
    Page* page(const QString& id);
    /// Returns those that are there.
    QList<Page*> made() const;
    /// Makes the others, too, for a list of all that they offer.
    void makeAll();
    /// False if there is no such page. An empty filter leaves the page's own.
    bool show(const QString& id, const QString& filter = {});
    /// Shows that page, with `subject` selected there: a filter of another time must not hide it.
    void reveal(const QString& id, const DetailSubject& subject);
    /// Returns the selection of the page on view; monostate = none.
    const DetailSubject& subject() const;
    /// Follows another subject there; also selects it if the page shows it.
    void follow(const DetailSubject& subject);
    /// Empties the pages: there is no server, or another one whose first snapshot is not here yet.
    void empty();
    void saveLayout();
    /// True while one of them runs something.
    bool isRunning() const;
    void stop();

Q_SIGNALS:
    void pageMade(lockscope::ui::Page* page); ///< not on view yet
    void pageShown(int place);
    void subjectChanged();

private:
    struct Place {
        PageName name;
        Make make;
        Page* page = nullptr; ///< null: not made yet. Those that were shown are in the stack
    };
    int placeOf(const QString& id) const; ///< -1: there is no such page
    Page& pageAt(size_t place);
    void setSubject(const Page* page, const DetailSubject& subject);

    std::vector<Place> m_places;
    size_t m_place = 0; ///< of the one on view
    QHash<const Page*, DetailSubject> m_subjects; ///< each page keeps its own
};

} // namespace lockscope::ui

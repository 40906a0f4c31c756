// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace lockscope::ui {

class Manual;

/// Shows pages of the manual, and the SQL files that they link to. Links to elsewhere go to the desktop.
class HelpBrowser : public QTextBrowser {
    Q_OBJECT

public:
    /// `manual` outlives it.
    explicit HelpBrowser(const Manual& manual, QWidget* parent = nullptr);

    /// "blocking.md" or "blocking.md#the-drawing". False, and nothing changes, if there is no such page.
    bool open(const QString& target);
    /// Returns the open page, as `open` takes it.
    QString target() const;
    /// Marks the words wherever they stand on the page; none = marks nothing.
    void setMarked(const QStringList& words);
    /// Goes to the next of the marked words, or to the one before; round the end.
    void goToMark(bool forward);

    QVariant loadResource(int type, const QUrl& name) override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow(const QUrl& link);
    void dress();
    void dressTables();
    void fit();
    void showMarks();

    const Manual& m_manual;
    QUrl m_url; ///< of the page on view
    QStringList m_marked;
    QList<QTextCursor> m_marks; ///< in the order of the page
    bool m_isReloading = false;
};

} // namespace lockscope::ui

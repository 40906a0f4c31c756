// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <QTextBrowser>

#include <vector>

class QTextDocument;

namespace lockscope::ui {

/// The pages of the manual, which are compiled in from resources/help as Markdown, and those that the program
/// makes of itself. Their order is that in which the page index.md links to them.
class Manual {
public:
    struct Section {
        int level = 1; ///< of its heading
        QString title;
        QString
            anchor; ///< as hosting sites form it of the title; that of the first one names the page itself
        QString text{}; ///< without that of the sections after it
    };
    struct Chapter {
        QString id; ///< its file's name: "blocking.md"
        QString markdown;
        QString parent{}; ///< the page that it stands below in the contents; empty: none
        std::vector<Section> sections; ///< never empty: the first one is the page's title
        const QString& title() const { return sections.front().title; }
    };
    struct Hit {
        QString target; ///< "blocking.md#the-drawing"
        QString title; ///< "Blocking › The drawing"
        QString excerpt; ///< the text round the first word
    };

    Manual();

    const std::vector<Chapter>& pages() const { return m_pages; }
    const Chapter* page(const QString& id) const; ///< null: there is none
    /// A page that the program makes of itself, at the end; replaces the one of that id.
    void setPage(const QString& id, const QString& markdown, const QString& parent = {});
    /// Sections that have each word of `text`, or a term that it stands for; those with all in the title
    /// first.
    QList<Hit> search(const QString& text) const;
    /// `words`, and the terms that they stand for by the table of the page words.md.
    QStringList withTerms(const QStringList& words) const;

    /// The words of a search: apart by blanks.
    static QStringList wordsOf(const QString& text);
    static inline const QString contents = QStringLiteral("index.md"); ///< the page that leads to the others
    /// The folder of the pages among the resources; the tree round it is that of the source, so that relative
    /// links lead to the same files in both.
    static QString folder() { return QStringLiteral(":/resources/help/"); }

private:
    std::vector<Chapter> m_pages;
    QHash<QString, QStringList> m_terms; ///< by other words for them, in small letters
};

/// The anchors of a document's headings, in their order, as hosting sites form them. Paired with their
/// blocks.
struct HeadingAnchor {
    int blockNumber = 0;
    QString anchor;
};
QList<HeadingAnchor> anchorsOf(const QTextDocument& document);

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

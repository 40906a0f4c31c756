// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/HelpBrowser.h"

#include "core/base/PlainFile.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QImage>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextTable>
#include <QTimer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString glossary = u"words.md"_s;
constexpr qsizetype excerptLength = 150;
constexpr qsizetype excerptBefore = 50;

/// Small letters, blanks as hyphens, punctuation gone.
QString anchorFrom(const QString& heading)
{
    QString anchor;
    for (const QChar c : heading.trimmed().toLower()) {
        if (c.isLetterOrNumber() || c == u'-' || c == u'_')
            anchor += c;
        else if (c == u' ' || c == QChar::Nbsp)
            anchor += u'-';
    }
    return anchor;
}

std::vector<Manual::Section> sectionsOf(const QString& markdown)
{
    QTextDocument document;
    document.setMarkdown(markdown);
    QHash<int, QString> anchors;
    for (const HeadingAnchor& each : anchorsOf(document))
        anchors.insert(each.blockNumber, each.anchor);
    std::vector<Manual::Section> sections;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        const QString text = block.text().replace(QChar::LineSeparator, u' ').simplified();
        if (level > 0)
            sections.push_back({.level = level, .title = text, .anchor = anchors.value(block.blockNumber())});
        else if (!sections.empty() && !text.isEmpty())
            sections.back().text += text + u'\n';
    }
    if (sections.empty())
        sections.push_back({});
    return sections;
}

/// The pages that `markdown` links to, in that order.
QStringList linkedPages(const QString& markdown)
{
    static const QRegularExpression link(uR"(\]\(([\w-]+\.md))"_s);
    QStringList pages;
    for (auto found = link.globalMatch(markdown); found.hasNext();) {
        const QString page = found.next().captured(1);
        if (!pages.contains(page))
            pages << page;
    }
    return pages;
}

/// Each of `meanings` is a word and the terms that it stands for: one of them is enough.
bool hasAll(const QString& text, const QList<QStringList>& meanings)
{
    return std::ranges::all_of(meanings, [&](const QStringList& meaning) {
        return std::ranges::any_of(
            meaning, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    });
}

/// The terms in the first column of a table, by the words in its third column.
QHash<QString, QStringList> termsIn(const QString& markdown)
{
    QHash<QString, QStringList> terms;
    const QStringList lines = markdown.split(u'\n');
    for (const QString& line : lines) {
        const QStringList cells = line.split(u'|'); // the line begins and ends with a bar
        if (cells.size() != 5)
            continue;
        const QStringList others = cells[3].split(u',');
        for (const QString& other : others)
            terms[other.trimmed().toLower()] << cells[1].trimmed();
    }
    return terms;
}

QString excerptOf(const QString& text, const QStringList& words)
{
    qsizetype first = text.size();
    for (const QString& word : words) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (at >= 0)
            first = std::min(first, at);
    }
    if (first == text.size())
        first = 0;
    qsizetype begin = std::max<qsizetype>(0, first - excerptBefore);
    if (begin > 0)
        begin = text.indexOf(u' ', begin) + 1;
    QString excerpt = text.mid(begin, excerptLength).simplified();
    if (begin > 0)
        excerpt.prepend(u"… "_s);
    if (begin + excerptLength < text.size())
        excerpt = excerpt.left(excerpt.lastIndexOf(u' ')) + u" …"_s;
    return excerpt;
}

} // namespace

QList<HeadingAnchor> anchorsOf(const QTextDocument& document)
{
    QList<HeadingAnchor> anchors;
    QHash<QString, int> seen;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0)
            continue;
        const QString plain = anchorFrom(block.text());
        const int before = seen[plain]++;
        anchors.append({block.blockNumber(), before == 0 ? plain : u"%1-%2"_s.arg(plain).arg(before)});
    }
    return anchors;
}

Manual::Manual()
{
    // Licences stand in comments at the top of the files.
    static const QRegularExpression comment(
        u"<!--.*?-->\\s*"_s, QRegularExpression::DotMatchesEverythingOption);
    const auto read = [](const QString& id) {
        return QString::fromUtf8(fileContent(folder() + id)).remove(comment);
    };
    const auto add = [&](const QString& id) {
        if (const QString markdown = read(id); !markdown.isEmpty() && !page(id))
            m_pages.push_back({.id = id, .markdown = markdown, .sections = sectionsOf(markdown)});
    };
    add(contents);
    for (const QString& id : linkedPages(m_pages.empty() ? QString() : m_pages.front().markdown))
        add(id);
    for (const QString& id : QDir(folder()).entryList({u"*.md"_s}, QDir::Files, QDir::Name))
        add(id);
    if (const Chapter* words = page(glossary))
        m_terms = termsIn(words->markdown);
}

const Manual::Chapter* Manual::page(const QString& id) const
{
    const auto found = std::ranges::find(m_pages, id, &Chapter::id);
    return found == m_pages.end() ? nullptr : &*found;
}

void Manual::setPage(const QString& id, const QString& markdown, const QString& parent)
{
    Chapter made{.id = id, .markdown = markdown, .parent = parent, .sections = sectionsOf(markdown)};
    const auto found = std::ranges::find(m_pages, id, &Chapter::id);
    if (found == m_pages.end())
        m_pages.push_back(std::move(made));
    else
        *found = std::move(made);
}

QStringList Manual::wordsOf(const QString& text)
{
    return text.simplified().split(u' ', Qt::SkipEmptyParts);
}

QStringList Manual::withTerms(const QStringList& words) const
{
    QStringList all = words;
    for (const QString& word : words)
        all += m_terms.value(word.toLower());
    all.removeDuplicates();
    return all;
}

QList<Manual::Hit> Manual::search(const QString& text) const
{
    const QStringList words = wordsOf(text);
    if (words.isEmpty())
        return {};
    QList<QStringList> meanings;
    for (const QString& word : words)
        meanings.append(withTerms({word}));
    QList<Hit> inTitle;
    QList<Hit> inText;
    for (const Chapter& page : m_pages) {
        if (page.id == contents || page.id == glossary)
            continue;
        for (const Section& section : page.sections) {
            const bool isTop = &section == &page.sections.front();
            const QString title = isTop ? page.title() : page.title() + u" › "_s + section.title;
            if (!hasAll(title + u'\n' + section.text, meanings))
                continue;
            const Hit hit{isTop ? page.id : page.id + u'#' + section.anchor, title,
                excerptOf(section.text, withTerms(words))};
            (hasAll(title, meanings) ? inTitle : inText).append(hit);
        }
    }
    return inTitle + inText;
}

namespace {

constexpr int widestText = 760; ///< longer lines are hard to read
constexpr int pageMargin = 24;
constexpr int isDressed = 1; ///< state of the first block

QUrl urlOf(const QString& target)
{
    return QUrl(u"qrc"_s + Manual::folder() + target);
}

} // namespace

HelpBrowser::HelpBrowser(const Manual& manual, QWidget* parent)
    : QTextBrowser(parent)
    , m_manual(manual)
{
    setFrameShape(NoFrame);
    setOpenLinks(false);
    setAccessibleName(u"Manual"_s);
    connect(this, &QTextBrowser::anchorClicked, this, &HelpBrowser::follow);
    // Also after going back and forward, which load the page, too.
    connect(this, &QTextBrowser::sourceChanged, this, [this](const QUrl& url) {
        m_url = url; // source() is still the one before
        dress();
        if (url.hasFragment() && !m_isReloading)
            scrollToAnchor(url.fragment());
    });
}

bool HelpBrowser::open(const QString& target)
{
    if (!m_manual.page(target.section(u'#', 0, 0)))
        return false;
    setSource(urlOf(target));
    return true;
}

QString HelpBrowser::target() const
{
    return m_url.hasFragment() ? m_url.fileName() + u'#' + m_url.fragment() : m_url.fileName();
}

void HelpBrowser::follow(const QUrl& link)
{
    const QUrl url = m_url.resolved(link);
    if (url.scheme() == u"qrc"_s)
        setSource(url);
    else
        QDesktopServices::openUrl(url);
}

QVariant HelpBrowser::loadResource(int type, const QUrl& name)
{
    const QUrl url = urlOf({}).resolved(name); // all pages are in one folder
    if (const Manual::Chapter* page = m_manual.page(url.fileName());
        page && type != QTextDocument::ImageResource)
        return page->markdown;
    const QByteArray content = fileContent(u':' + url.path());
    if (content.isEmpty())
        return {};
    if (type == QTextDocument::ImageResource)
        return QImage::fromData(content);
    return u"<pre>%1</pre>"_s.arg(htmlText(QString::fromUtf8(content)));
}

/// Adds what Markdown leaves to its reader: anchors of headings, and the style of tables and code.
void HelpBrowser::dress()
{
    if (document()->firstBlock().userState() != isDressed) {
        document()->firstBlock().setUserState(isDressed);
        const ThemeColors& colors = theme::colors(palette());
        QTextCursor cursor(document());
        cursor.beginEditBlock();
        for (const HeadingAnchor& each : anchorsOf(*document())) {
            const QTextBlock block = document()->findBlockByNumber(each.blockNumber);
            cursor.setPosition(block.position());
            cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            QTextCharFormat name;
            name.setAnchor(true);
            name.setAnchorNames({each.anchor});
            cursor.mergeCharFormat(name);
            QTextBlockFormat space;
            space.setTopMargin(block.blockNumber() == 0 ? 12 : 20);
            space.setBottomMargin(6);
            cursor.mergeBlockFormat(space);
        }
        for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
            const QTextBlockFormat before = block.blockFormat();
            if (!before.hasProperty(QTextFormat::BlockCodeFence)
                && !before.hasProperty(QTextFormat::BlockCodeLanguage))
                continue;
            QTextBlockFormat code;
            code.setBackground(colors.card);
            code.setLeftMargin(12);
            code.setNonBreakableLines(false);
            cursor.setPosition(block.position());
            cursor.mergeBlockFormat(code);
            QTextCharFormat small;
            small.setFontPointSize(theme::scaled(0.9).pointSizeF());
            cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(small);
        }
        dressTables();
        cursor.endEditBlock();
        document()->setModified(false);
    }
    fit();
    showMarks();
}

void HelpBrowser::dressTables()
{
    const ThemeColors& colors = theme::colors(palette());
    for (QTextFrame* frame : document()->rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(colors.border);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellPadding(5);
        format.setTopMargin(6);
        format.setBottomMargin(10);
        table->setFormat(format);
    }
}

/// Lines of a length that can be read, and pictures no wider than them.
void HelpBrowser::fit()
{
    const int width = viewport()->width();
    QTextFrameFormat frame = document()->rootFrame()->frameFormat();
    frame.setLeftMargin(pageMargin);
    frame.setRightMargin(std::max(pageMargin, width - pageMargin - widestText));
    frame.setBottomMargin(2 * pageMargin);
    document()->rootFrame()->setFrameFormat(frame);
    const int room = std::min(widestText, width - 2 * pageMargin) - 8;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextImageFormat before = it.fragment().charFormat().toImageFormat();
            if (!before.isValid())
                continue;
            const QUrl url = document()->baseUrl().resolved(QUrl(before.name()));
            const auto image = loadResource(QTextDocument::ImageResource, url).value<QImage>();
            const int requested = std::min(room, image.width());
            if (image.isNull() || requested == static_cast<int>(before.width()))
                continue;
            // The document would scale it by leaving pixels out, and words in it could not be read.
            QImage scaled = image.scaledToWidth(
                static_cast<int>(requested * devicePixelRatioF()), Qt::SmoothTransformation);
            scaled.setDevicePixelRatio(devicePixelRatioF());
            document()->addResource(QTextDocument::ImageResource, url, scaled);
            QTextImageFormat fitted = before;
            fitted.setWidth(requested);
            fitted.setHeight(double(image.height()) * requested / image.width());
            QTextCursor cursor(block);
            cursor.setPosition(it.fragment().position());
            cursor.setPosition(it.fragment().position() + it.fragment().length(), QTextCursor::KeepAnchor);
            cursor.setCharFormat(fitted);
            break; // the fragments of this block are others now; a picture stands alone in it
        }
    }
}

void HelpBrowser::setMarked(const QStringList& words)
{
    if (words == m_marked)
        return;
    m_marked = words;
    showMarks();
}

void HelpBrowser::showMarks()
{
    const ThemeColors& colors = theme::colors(palette());
    m_marks.clear();
    QList<ExtraSelection> selections;
    for (const QString& word : std::as_const(m_marked)) {
        for (QTextCursor at = document()->find(word); !at.isNull(); at = document()->find(word, at)) {
            ExtraSelection mark;
            mark.cursor = at;
            mark.format.setBackground(colors.amberFill);
            selections.append(mark);
            m_marks.append(at);
        }
    }
    std::sort(m_marks.begin(), m_marks.end());
    setExtraSelections(selections);
}

void HelpBrowser::goToMark(bool forward)
{
    if (m_marks.isEmpty())
        return;
    const int here = textCursor().selectionStart();
    const auto isBefore = [&](const QTextCursor& mark) { return mark.selectionStart() < here; };
    auto at = std::find_if_not(m_marks.cbegin(), m_marks.cend(), isBefore);
    if (forward && at != m_marks.cend() && textCursor().hasSelection() && at->selectionStart() == here)
        ++at;
    if (forward)
        at = at == m_marks.cend() ? m_marks.cbegin() : at;
    else
        at = at == m_marks.cbegin() ? m_marks.cend() - 1 : at - 1;
    setTextCursor(*at);
    ensureCursorVisible();
}

void HelpBrowser::changeEvent(QEvent* event)
{
    QTextBrowser::changeEvent(event);
    // Colours are part of the document.
    if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && m_url.isValid()) {
        const int place = verticalScrollBar()->value();
        m_isReloading = true;
        reload();
        m_isReloading = false;
        verticalScrollBar()->setValue(place);
    }
}

void HelpBrowser::resizeEvent(QResizeEvent* event)
{
    QTextBrowser::resizeEvent(event);
    // Later: while it is being laid out, it does not heed what changes its size.
    QTimer::singleShot(0, this, &HelpBrowser::fit);
}

} // namespace lockscope::ui

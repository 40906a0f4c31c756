// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/HelpBrowser.h"

#include "core/base/PlainFile.h"
#include "ui/kit/help/Manual.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QDesktopServices>
#include <QEvent>
#include <QImage>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <QTimer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/Manual.h"

#include "core/base/PlainFile.h"

#include <QDir>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>

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

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/AnswerTable.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

/// Drivers and files differ in line ends and in what stands around a text, not in what it means.
QString normalized(const QString& text)
{
    QString plain = text.trimmed();
    plain.replace(u"\r\n"_s, u"\n"_s);
    while (plain.endsWith(u';'))
        plain.chop(1);
    return plain.trimmed();
}

const QRegularExpression place(u"\\{[A-Za-z_]+\\}"_s);

/// Each {name} stands for anything.
QRegularExpression patternOf(const QString& plain)
{
    QString pattern = u"\\A"_s;
    qsizetype start = 0;
    for (auto match = place.globalMatch(plain); match.hasNext();) {
        const auto found = match.next();
        pattern += QRegularExpression::escape(plain.mid(start, found.capturedStart() - start)) + u"(.*?)"_s;
        start = found.capturedEnd();
    }
    pattern += QRegularExpression::escape(plain.mid(start)) + u"\\z"_s;
    return QRegularExpression(pattern, QRegularExpression::DotMatchesEverythingOption);
}

} // namespace

void AnswerTable::add(const QString& text, Handler handler)
{
    m_texts[normalized(text)] = std::move(handler);
}

void AnswerTable::addWithPlaces(const QString& text, Handler handler)
{
    const QString plain = normalized(text);
    if (plain.contains(place))
        addPattern(patternOf(plain), std::move(handler));
    else
        add(plain, handler);
}

void AnswerTable::addGuarded(const QString& text, Guard guard)
{
    const QRegularExpression whole = patternOf(normalized(text));
    std::erase_if(m_guarded, [&whole](const auto& known) { return known.first == whole; });
    m_guarded.emplace_back(whole, std::move(guard));
}

void AnswerTable::addPattern(const QRegularExpression& whole, Handler handler)
{
    std::erase_if(m_patterns, [&](const Pattern& known) { return known.whole == whole; });
    m_patterns.insert(m_patterns.begin(), {whole, std::move(handler)});
}

const Handler* AnswerTable::find(Request& request) const
{
    const QString text = normalized(request.text);
    for (const auto& [whole, guard] : m_guarded) {
        const auto match = whole.match(text);
        if (!match.hasMatch())
            continue;
        request.text = text;
        request.filledIn = match.capturedTexts().mid(1);
        if (const auto refused = guard(request)) {
            m_refusal = [refused](const Request&, Reply& reply) {
                reply.error(refused->number, refused->text, refused->severity);
            };
            return &m_refusal;
        }
        request.text = request.filledIn.last();
        return find(request);
    }
    if (const auto known = m_texts.constFind(text); known != m_texts.constEnd())
        return &*known;
    for (const Pattern& pattern : m_patterns) {
        const auto match = pattern.whole.match(text);
        if (match.hasMatch()) {
            request.filledIn = match.capturedTexts().mid(1);
            return &pattern.handler;
        }
    }
    return nullptr;
}

} // namespace lockscope::test::tds

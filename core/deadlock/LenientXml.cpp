// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SqlServerReport.h"

#include <algorithm>
#include <array>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

QString XmlElement::attribute(QStringView attribute) const
{
    for (const auto& [key, value] : attributes)
        if (isSameName(key, attribute))
            return value;
    return {};
}

const XmlElement* XmlElement::child(QStringView requested) const
{
    for (const XmlElement& each : children)
        if (each.is(requested))
            return &each;
    return nullptr;
}

namespace {

constexpr size_t maxLevels = 200;
constexpr qsizetype maxElements = 200'000; ///< of one report

bool isNameStart(QChar c)
{
    return c.isLetter() || c == u'_';
}

bool isNamePart(QChar c)
{
    if ((c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z'))
        return true;
    return c.isLetterOrNumber() || c == u'_' || c == u'-' || c == u'.' || c == u':';
}

bool isControl(QChar c)
{
    return (c < u' ' && c != u'\n' && c != u'\r' && c != u'\t') || c == QChar(0xfffe) || c == QChar(0xffff);
}

class Parser {
public:
    Parser(const QString& text, const QStringList& names, const TakeElement& take)
        : m_text(text)
        , m_names(names)
        , m_take(take)
    {
        m_open.push_back({});
    }

    void run()
    {
        while (m_at < m_text.size()) {
            if (m_text[m_at] != u'<')
                takeText(next(u'<'));
            else if (at(u"<!--"))
                skipTo(u"-->"_s);
            else if (at(u"<![CDATA["))
                takeData();
            else if (at(u"<!"))
                skipType();
            else if (at(u"<?"))
                skipTo(u"?>"_s);
            else if (at(u"</"))
                closing();
            else if (m_at + 1 < m_text.size() && isNameStart(m_text[m_at + 1]))
                opening();
            else
                takeText(m_at + 1);
        }
        if (m_open.size() > 1)
            tell(u"The XML ends too early; what is there was read."_s);
        while (m_open.size() > 1)
            close();
    }

private:
    bool at(QStringView what) const { return QStringView(m_text).mid(m_at).startsWith(what); }
    qsizetype next(QChar c) const
    {
        const qsizetype found = m_text.indexOf(c, m_at);
        return found < 0 ? m_text.size() : found;
    }
    void skipTo(const QString& end)
    {
        const qsizetype found = m_text.indexOf(end, m_at);
        m_at = found < 0 ? m_text.size() : found + end.size();
    }
    void tell(const QString& what)
    {
        if (!m_mended.contains(what))
            m_mended << what;
    }
    void skipSpace()
    {
        while (m_at < m_text.size() && (m_text[m_at].isSpace() || isControl(m_text[m_at])))
            ++m_at;
    }

    void skipType()
    {
        tell(u"A document type stands in the XML; it was left out."_s);
        int depth = 0;
        for (; m_at < m_text.size(); ++m_at) {
            const QChar c = m_text[m_at];
            if (c == u'[')
                ++depth;
            else if (c == u']')
                --depth;
            else if (c == u'>' && depth <= 0) {
                ++m_at;
                return;
            }
        }
    }

    void takeData()
    {
        const qsizetype begin = m_at + 9;
        const qsizetype found = m_text.indexOf(u"]]>"_s, begin);
        const qsizetype end = found < 0 ? m_text.size() : found;
        if (m_report > 0)
            m_open.back().text += QStringView(m_text).mid(begin, end - begin);
        m_at = found < 0 ? end : end + 3;
    }

    void takeText(qsizetype end)
    {
        const QStringView piece = QStringView(m_text).mid(m_at, end - m_at);
        m_at = end;
        if (m_report > 0) // what stands around the reports is nobody's
            m_open.back().text += decoded(piece);
    }

    /// Replaces entities by their characters; an '&' that begins none, and control characters, are kept in a
    /// visible form, and reported.
    QString decoded(QStringView piece)
    {
        const bool isPlain = std::ranges::none_of(piece, [](QChar c) { return c == u'&' || isControl(c); });
        if (isPlain)
            return piece.toString();
        QString out;
        out.reserve(piece.size());
        for (qsizetype i = 0; i < piece.size(); ++i) {
            const QChar c = piece[i];
            if (isControl(c)) {
                tell(u"Control characters stand in the XML; they are shown as \"�\"."_s);
                out += QChar(0xfffd);
            } else if (c == u'&') {
                constexpr qsizetype longest = 10; // "&#1114111;"
                const qsizetype size = piece.mid(i, longest + 1).indexOf(u';');
                const qsizetype end = i + size;
                const QString meaning = size > 0 ? entity(piece.mid(i + 1, size - 1)) : QString();
                if (meaning.isEmpty()) {
                    tell(u"A bare \"&\" stands in the XML; it was taken as it is."_s);
                    out += c;
                } else {
                    out += meaning;
                    i = end;
                }
            } else {
                out += c;
            }
        }
        return out;
    }

    QString entity(QStringView name)
    {
        static constexpr std::pair<QStringView, QChar> known[] = {
            {u"lt", u'<'}, {u"gt", u'>'}, {u"amp", u'&'}, {u"quot", u'"'}, {u"apos", u'\''}};
        for (const auto& [spelling, character] : known)
            if (name == spelling)
                return character;
        if (!name.startsWith(u'#'))
            return {};
        const bool isHex = name.mid(1).startsWith(u'x');
        bool isNumber = false;
        const uint code = name.mid(isHex ? 2 : 1).toUInt(&isNumber, isHex ? 16 : 10);
        if (!isNumber)
            return {};
        const bool isCharacter = code != 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        if (!isCharacter || (code <= 0xffff && isControl(QChar(char16_t(code))))) {
            tell(u"Control characters stand in the XML; they are shown as \"�\"."_s);
            return QChar(0xfffd);
        }
        const char32_t character = code;
        return QString::fromUcs4(&character, 1);
    }

    QString takeName()
    {
        const qsizetype begin = m_at;
        while (m_at < m_text.size() && isNamePart(m_text[m_at]))
            ++m_at;
        const QStringView name = QStringView(m_text).mid(begin, m_at - begin);
        return known(name.mid(name.lastIndexOf(u':') + 1));
    }

    /// The same few names come again and again: each text is made once.
    QString known(QStringView name)
    {
        if (name.isEmpty())
            return {};
        QString& kept =
            m_known[(size_t(name.size()) * 31 + name.front().unicode() * 7 + name.back().unicode())
                % m_known.size()];
        if (kept != name)
            kept = name.toString();
        return kept;
    }

    void opening()
    {
        const qsizetype begin = m_at;
        ++m_at;
        XmlElement element;
        element.name = takeName();
        element.begin = begin;
        bool isEmpty = false;
        while (true) {
            skipSpace();
            if (m_at >= m_text.size())
                break;
            const QChar c = m_text[m_at];
            if (c == u'>') {
                ++m_at;
                break;
            }
            if (at(u"/>")) {
                m_at += 2;
                isEmpty = true;
                break;
            }
            if (c == u'<') { // the end of the tag is missing
                tell(u"A tag of the XML is not closed."_s);
                break;
            }
            if (isNameStart(c))
                takeAttribute(element);
            else
                ++m_at;
        }
        open(std::move(element));
        if (isEmpty)
            close();
        else if (isOpened())
            takeStatement();
    }

    bool isOpened() const { return m_leftOut == 0; }

    void takeAttribute(XmlElement& element)
    {
        const QString key = takeName();
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != u'=') {
            element.attributes.append({key, QString(u""_s)});
            return;
        }
        ++m_at;
        skipSpace();
        if (m_at >= m_text.size())
            return;
        const QChar quote = m_text[m_at];
        if (quote != u'"' && quote != u'\'') {
            tell(u"A value in the XML stands without quotes."_s);
            const qsizetype begin = m_at;
            while (m_at < m_text.size() && !m_text[m_at].isSpace() && m_text[m_at] != u'>')
                ++m_at;
            element.attributes.append({key, decoded(QStringView(m_text).mid(begin, m_at - begin))});
            return;
        }
        const qsizetype begin = m_at + 1;
        const qsizetype end = endOfValue(begin, quote);
        const QStringView raw = QStringView(m_text).mid(begin, end - begin);
        if (raw.contains(u'<'))
            tell(u"A bare \"<\" stands in a value of the XML; it was taken as it is."_s);
        element.attributes.append({key, decoded(raw)});
        m_at = std::min(end + 1, m_text.size());
    }

    /// A quote ends the value only if what can follow a value follows: names may hold quotes.
    qsizetype endOfValue(qsizetype begin, QChar quote)
    {
        // A name or a statement's piece is no longer; a quote that is missing must not take the whole rest.
        const qsizetype limit = std::min(m_text.size(), begin + 100'000);
        const qsizetype found = m_text.indexOf(quote, begin);
        const qsizetype first = found < 0 || found >= limit ? limit : found;
        // Places that were searched in vain are not searched again for the next value.
        qsizetype& searched = quote == u'"' ? m_searchedDouble : m_searchedSingle;
        const qsizetype from = std::max(first, searched);
        for (qsizetype end = from < limit ? m_text.indexOf(quote, from) : -1; end >= 0 && end < limit;
             end = m_text.indexOf(quote, end + 1)) {
            if (canFollowValue(end + 1)) {
                if (end != first)
                    tell(u"A quote stands in a value of the XML; it was taken as it is."_s);
                return end;
            }
        }
        searched = std::max(searched, limit);
        return first;
    }

    bool canFollowValue(qsizetype place) const
    {
        if (place >= m_text.size())
            return true;
        const QStringView rest = QStringView(m_text).mid(place, 200);
        if (rest.startsWith(u'>') || rest.startsWith(u"/>") || rest.startsWith(u"?>"))
            return true;
        if (!rest[0].isSpace() && !isNameStart(rest[0]))
            return false;
        // Then a name and '=', or the end of the tag.
        qsizetype i = 0;
        while (i < rest.size() && rest[i].isSpace())
            ++i;
        if (i == rest.size() || rest[i] == u'>' || rest[i] == u'/' || rest[i] == u'?')
            return true;
        const qsizetype name = i;
        while (i < rest.size() && isNamePart(rest[i]))
            ++i;
        if (i == name)
            return false;
        while (i < rest.size() && rest[i].isSpace())
            ++i;
        return i == rest.size() || rest[i] == u'=';
    }

    void open(XmlElement&& element)
    {
        if (m_report == 0 && m_names.contains(element.name, Qt::CaseInsensitive))
            m_report = m_open.size();
        if (m_leftOut > 0 || m_open.size() > maxLevels || m_elements >= maxElements) {
            tell(u"The XML has more levels or elements than are read; the rest was left out."_s);
            ++m_leftOut;
            return;
        }
        if (m_report > 0)
            ++m_elements;
        m_open.push_back(std::move(element));
    }

    void close()
    {
        if (m_leftOut > 0) {
            --m_leftOut;
            return;
        }
        XmlElement element = std::move(m_open.back());
        m_open.pop_back();
        element.end = m_at;
        if (m_open.size() == m_report) {
            m_take(element, m_mended);
            m_mended.clear();
            m_report = 0;
            m_elements = 0;
        } else if (m_report > 0) {
            m_open.back().children.push_back(std::move(element));
        }
    }

    /// Statements are texts up to their own end, whatever stands in them.
    void takeStatement()
    {
        const XmlElement& element = m_open.back();
        if (m_isEndMissing || (!element.is(u"inputbuf") && !element.is(u"frame")))
            return;
        // The end that was found last is still the next one, until it is passed.
        qsizetype& end = element.is(u"frame") ? m_endOfFrame : m_endOfBuffer;
        if (end < m_at)
            end = m_text.indexOf(u"</"_s + element.name, m_at, Qt::CaseInsensitive);
        const qsizetype next = m_text.indexOf(u'<', m_at);
        m_isEndMissing = end < 0; // then not to be searched again and again
        const bool isData = next >= 0 && QStringView(m_text).mid(next).startsWith(u"<![CDATA[");
        if (end < 0 || next < 0 || next == end || isData)
            return;
        tell(u"A bare \"<\" stands in a statement in the XML; it was taken as it is."_s);
        takeText(end);
    }

    void closing()
    {
        m_at += 2;
        const QString name = takeName();
        m_at = std::min(next(u'>') + 1, m_text.size());
        if (m_leftOut > 0) {
            close();
            return;
        }
        // An element that is not closed by itself ends with the one that it is in.
        for (size_t i = m_open.size(); i-- > 1;) {
            if (!m_open[i].is(name))
                continue;
            if (i + 1 < m_open.size())
                tell(u"An element of the XML is not closed."_s);
            while (m_open.size() > i)
                close();
            return;
        }
        tell(u"The XML closes an element that is not open."_s);
    }

    const QString& m_text;
    const QStringList& m_names;
    const TakeElement& m_take;
    std::array<QString, 256> m_known; ///< names
    std::vector<XmlElement> m_open; ///< the first one is the whole
    /// the index among them of the first one of the report that is being read; 0: none is
    size_t m_report = 0;
    QStringList m_mended;
    qsizetype m_at = 0;
    qsizetype m_elements = 0;
    bool m_isEndMissing = false; ///< of a statement: nowhere in the rest
    qsizetype m_endOfFrame = -1; ///< the place of the next "</frame", as far as searched
    qsizetype m_endOfBuffer = -1;
    /// No quote before it, from where values were last searched, ends a value.
    qsizetype m_searchedDouble = 0;
    qsizetype m_searchedSingle = 0;
    int m_leftOut = 0; ///< levels within which nothing is kept
};

} // namespace

void readLenientXml(const QString& text, const QStringList& names, const TakeElement& take)
{
    Parser(text, names, take).run();
}

} // namespace lockscope::deadlock

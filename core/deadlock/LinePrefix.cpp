// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/LinePrefix.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Hand-written: logs of some million lines pass here.
class Stripper {
public:
    explicit Stripper(const QString& line)
        : m_line(line)
        , m_rest(m_line)
    {
    }

    LinePrefix run()
    {
        constexpr int maxParts = 8;
        for (int i = 0; i < maxParts && takeOne(); ++i) { }
        m_prefix.text = m_rest.size() == m_line.size() ? m_line : m_rest.toString();
        if (m_prefix.text.contains(u"#0"_s)) // syslog writes so what steers terminals
            m_prefix.text.replace(u"#011"_s, u"\t"_s).replace(u"#012"_s, u"\n"_s);
        return m_prefix;
    }

private:
    bool takeOne()
    {
        return takeQuote() || takePod() || takeContainer() || takeTime() || takeSyslog() || takePiece();
    }

    /// "> " of mail and Markdown.
    bool takeQuote()
    {
        if (!m_rest.startsWith(u'>'))
            return false;
        drop(m_rest.startsWith(u"> ") ? 2 : 1);
        return true;
    }

    /// "[pod/shop-0/postgres] " of kubectl logs --prefix.
    bool takePod()
    {
        const qsizetype end = m_rest.startsWith(u"[pod/") ? m_rest.indexOf(u']') : -1;
        if (end < 0)
            return false;
        m_prefix.writer += m_rest.left(end);
        drop(end + 1);
        dropBlank();
        return true;
    }

    /// "db-1  | " of docker compose.
    bool takeContainer()
    {
        qsizetype end = 0;
        while (end < m_rest.size() && end < 80 && isNamePart(m_rest[end]))
            ++end;
        qsizetype bar = end;
        while (bar < m_rest.size() && bar < 120 && m_rest[bar] == u' ')
            ++bar;
        const bool isBar = end > 0 && bar > end && bar < m_rest.size() && m_rest[bar] == u'|'
            && (bar + 1 == m_rest.size() || m_rest[bar + 1].isSpace());
        if (!isBar)
            return false;
        m_prefix.writer += m_rest.left(end);
        drop(bar + 1);
        dropBlank();
        return true;
    }

    /// "2026-11-26T03:12:07.123456789Z " of docker, kubectl and rsyslog; no prefix of PostgreSQL has the T.
    /// Stern writes pod and container before it.
    bool takeTime()
    {
        const qsizetype found = m_rest.left(200).indexOf(u'T');
        const qsizetype begin = timeBegin(found);
        if (begin < 0)
            return false;
        const QStringView before = m_rest.left(begin);
        if (begin > 0 && (before.count(u' ') != 2 || !before.endsWith(u' ') || before.contains(u"  ")))
            return false;
        qsizetype end = begin + 19;
        while (end < m_rest.size() && (m_rest[end].isDigit() || QStringView(u".,:+-Z").contains(m_rest[end])))
            ++end;
        if (end < m_rest.size() && !m_rest[end].isSpace())
            return false;
        m_prefix.writer += before;
        m_prefix.time = m_rest.mid(begin, end - begin).toString();
        drop(end);
        dropBlank();
        takeStream();
        takeTag();
        return true;
    }

    qsizetype timeBegin(qsizetype mark) const
    {
        for (; mark >= 0 && mark < 200; mark = m_rest.left(200).indexOf(u'T', mark + 1)) {
            const qsizetype begin = mark - 10;
            if (begin < 0 || begin + 19 > m_rest.size())
                continue;
            static constexpr QStringView form = u"0000-00-00T00:00:00";
            bool fits = true;
            for (qsizetype i = 0; i < form.size() && fits; ++i)
                fits = form[i] == u'0' ? m_rest[begin + i].isDigit() : form[i] == m_rest[begin + i];
            if (fits)
                return begin;
        }
        return -1;
    }

    /// "stderr F " of Kubernetes' own files.
    void takeStream()
    {
        for (const QStringView stream : {QStringView(u"stderr F "), QStringView(u"stdout F "),
                 QStringView(u"stderr P "), QStringView(u"stdout P ")})
            if (m_rest.startsWith(stream)) {
                m_prefix.writer += stream.left(6);
                drop(stream.size());
                return;
            }
    }

    /// "Nov 26 03:12:07 host postgres[123]: " of syslog and journalctl.
    bool takeSyslog()
    {
        static const QRegularExpression header(
            u"^(?:<\\d{1,3}>)?([A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?) (?=\\S+ \\S+: ?)"_s);
        const bool canBe =
            m_rest.size() > 20 && (m_rest[0] == u'<' || (m_rest[0].isUpper() && m_rest[3] == u' '));
        if (!canBe)
            return false;
        const auto match = header.match(m_rest.left(120).toString());
        if (!match.hasMatch())
            return false;
        m_prefix.time = match.captured(1);
        drop(match.capturedEnd());
        takeTag();
        return true;
    }

    /// "host postgres[123]: ".
    void takeTag()
    {
        const qsizetype host = m_rest.indexOf(u' ');
        const qsizetype end = host < 1 || host > 255 ? -1 : m_rest.indexOf(u": ", host);
        const QStringView tag = end < 0 ? QStringView() : m_rest.mid(host + 1, end - host - 1);
        if (tag.isEmpty() || tag.size() > 80 || tag.contains(u' ') || !tag.endsWith(u']')
            || !tag.contains(u'['))
            return;
        m_prefix.writer += m_rest.left(end);
        drop(end + 2);
    }

    /// "[3-2] ": the message's number and that of its piece. Only behind a header: it may be a prefix's.
    bool takePiece()
    {
        const qsizetype end =
            m_rest.startsWith(u'[') && !m_prefix.writer.isEmpty() ? m_rest.left(24).indexOf(u"] ") : -1;
        const QStringView numbers = end < 0 ? QStringView() : m_rest.mid(1, end - 1);
        const qsizetype dash = numbers.indexOf(u'-');
        const auto isNumber = [](QStringView text) {
            return !text.isEmpty() && std::ranges::all_of(text, [](QChar c) { return c.isDigit(); });
        };
        if (dash < 0 || !isNumber(numbers.left(dash)) || !isNumber(numbers.mid(dash + 1)))
            return false;
        m_prefix.isPiece = numbers.mid(dash + 1) != u"1";
        drop(end + 2);
        return true;
    }

    static bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.'; }
    void drop(qsizetype size) { m_rest = m_rest.mid(size); }
    void dropBlank()
    {
        if (m_rest.startsWith(u' '))
            drop(1);
    }

    const QString m_line;
    QStringView m_rest;
    LinePrefix m_prefix;
};

int grepNumberOf(QStringView line, const GrepForm& form, qsizetype end)
{
    const qsizetype begin = form.name.isEmpty() ? 0 : form.name.size() + 1;
    return line.mid(begin, end - begin).toInt();
}

/// The start of the label that ends at `end`: letters, at most two words of Chinese or Korean ("명령 구문").
qsizetype labelBegin(QStringView line, qsizetype end)
{
    qsizetype begin = end;
    for (int words = 0; begin > 0; --begin) {
        const QChar c = line[begin - 1];
        const bool isBetween = c == u' ' && begin < end && begin > 1 && line[begin].unicode() > 0x2e80
            && line[begin - 2].unicode() > 0x2e80 && words == 0;
        if (isBetween)
            ++words;
        else if (!c.isLetter() && !c.isMark())
            break;
    }
    return begin;
}

const QHash<QString, PartKind>& kinds()
{
    static const QHash<QString, PartKind> all = [] {
        QHash<QString, PartKind> kinds;
        const auto add = [&kinds](PartKind kind, std::initializer_list<QStringView> labels) {
            for (const QStringView label : labels)
                kinds.insert(label.toString().toLower(), kind);
        };
        add(PartKind::Error,
            {u"error", u"fatal", u"fehler", u"erreur", u"errore", u"erro", u"ошибка", u"помилка", u"오류",
                u"错误", u"錯誤", u"fel", u"შეცდომა", u"błąd", u"hata", u"chyba"});
        add(PartKind::Log,
            {u"log", u"日志", u"日誌", u"로그", u"ログ", u"сообщение", u"записування", u"logg", u"ჟურნალი"});
        add(PartKind::Remark,
            {u"warning", u"notice", u"info", u"debug", u"warnung", u"hinweis", u"attention"});
        add(PartKind::Detail,
            {u"detail", u"détail", u"detalle", u"dettagli", u"詳細", u"დეტალები", u"상세정보", u"подробности",
                u"detalj", u"відомості", u"详情", u"詳情", u"详细信息", u"detalhe", u"szczegóły"});
        add(PartKind::Hint,
            {u"hint", u"tipp", u"astuce", u"suggerimento", u"ヒント", u"მინიშნება", u"힌트", u"подсказка",
                u"tips", u"указівка", u"підказка", u"提示", u"dica"});
        add(PartKind::Context,
            {u"CONTEXT", u"ZUSAMMENHANG", u"CONTEXTE", u"CONTEXTO", u"CONTESTO", u"КОНТЕКСТ", u"文脈",
                u"コンテキスト", u"내용", u"上下文", u"背景", u"KONTEXT", u"KONTEKST", u"BAĞLAM",
                u"კონტექსტი", u"WHERE"});
        add(PartKind::Statement,
            {u"STATEMENT", u"ANWEISUNG", u"INSTRUCTION", u"SENTENCIA", u"ISTRUZIONE", u"ОПЕРАТОР",
                u"ІНСТРУКЦІЯ", u"文", u"명령 구문", u"구문", u"语句", u"陳述式", u"敘述", u"SATS",
                u"ოპერატორი", u"COMANDO", u"ИНСТРУКЦИЯ", u"PŘÍKAZ", u"WYRAŻENIE", u"İFADE", u"SQL",
                u"QUERY"});
        return kinds;
    }();
    return all;
}

} // namespace

LinePrefix withoutPrefix(const QString& line)
{
    static const QRegularExpression colours(u"\\x1b\\[[0-9;]*[A-Za-z]"_s);
    if (line.contains(QChar(0x1b)))
        return Stripper(QString(line).remove(colours)).run();
    return Stripper(line).run();
}

qint64 countLines(QStringView text)
{
    // Not by QStringView::count(): compilers make a loop of this that takes eight characters at once.
    return std::count(text.utf16(), text.utf16() + text.size(), u'\n');
}

bool hasClock(QStringView line)
{
    if (line.isEmpty() || line[0].isSpace())
        return false;
    const QStringView head = line.left(64);
    for (qsizetype at = head.indexOf(u':', 2); at > 0 && at + 5 < head.size();
         at = head.indexOf(u':', at + 1))
        if (head[at - 2].isDigit() && head[at - 1].isDigit() && head[at + 1].isDigit()
            && head[at + 2].isDigit() && head[at + 3] == u':' && head[at + 4].isDigit()
            && head[at + 5].isDigit())
            return true;
    return false;
}

qsizetype endOfGrepPrefix(QStringView line, const GrepForm& form)
{
    const auto isSeparator = [line](qsizetype at) {
        return at < line.size() && (line[at] == u':' || line[at] == u'-');
    };
    qsizetype at = line.startsWith(form.name) ? form.name.size() : -1;
    if (at < 0 || (!form.name.isEmpty() && !isSeparator(at)))
        return -1;
    if (!form.hasNumbers)
        return at;
    at += form.name.isEmpty() ? 0 : 1;
    const qsizetype begin = at;
    while (at < line.size() && at < begin + 9 && line[at].isDigit())
        ++at;
    return at > begin && isSeparator(at) ? at : -1;
}

std::optional<GrepForm> grepFormOf(const QString& text)
{
    constexpr qsizetype maxName = 200;
    qsizetype mark = -1;
    for (const QStringView message : {QStringView(u"eLock on"), QStringView(u"deadlock-list")})
        if (mark < 0)
            mark = text.indexOf(message);
    if (mark < 0)
        return std::nullopt;
    const qsizetype begin = text.lastIndexOf(u'\n', mark) + 1;
    const qsizetype below = text.indexOf(u'\n', mark) + 1;
    if (below == 0)
        return std::nullopt;
    const QStringView line = QStringView(text).mid(begin, std::min(below - begin, maxName));
    const QStringView next = QStringView(text).mid(below, maxName);
    for (qsizetype at = -1; at < line.size(); ++at) {
        if (at >= 0 && line[at] != u':' && line[at] != u'-')
            continue;
        const GrepForm numbered{line.left(std::max<qsizetype>(at, 0)).toString(), true};
        const qsizetype end = endOfGrepPrefix(line, numbered);
        const qsizetype nextEnd = end < 0 ? -1 : endOfGrepPrefix(next, numbered);
        if (nextEnd >= 0 && grepNumberOf(next, numbered, nextEnd) == grepNumberOf(line, numbered, end) + 1)
            return numbered;
        const GrepForm named{numbered.name, false};
        if (at > 0 && endOfGrepPrefix(next, named) >= 0 && next.mid(at + 1).startsWith(u'\t'))
            return named;
    }
    return std::nullopt;
}

std::optional<Labelled> labelOf(QStringView line)
{
    // The label is letters; French writes a blank before the colon. Prefixes end in anything.
    for (qsizetype at = line.indexOf(u":  "); at > 0; at = line.indexOf(u":  ", at + 1)) {
        const qsizetype end = line[at - 1].isSpace() ? at - 1 : at;
        const qsizetype begin = labelBegin(line, end);
        if (begin < end)
            return Labelled{line.left(begin).toString(), line.mid(begin, end - begin).toString(), at + 3};
    }
    return std::nullopt;
}

PartKind partKindOf(QStringView label)
{
    return kinds().value(label.toString().toLower(), PartKind::None);
}

MessagePart partOf(QStringView line)
{
    constexpr qsizetype maxPrefix = 1'000;
    constexpr qsizetype maxLabel = 20;
    const QStringView head = line.left(maxPrefix);
    for (qsizetype at = head.indexOf(u':'); at > 0; at = head.indexOf(u':', at + 1)) {
        const qsizetype end = head[at - 1].isSpace() ? at - 1 : at;
        const qsizetype begin = labelBegin(head, end);
        const bool isFollowed = at + 1 >= line.size() || line[at + 1].isSpace();
        if (begin == end || end - begin > maxLabel || !isFollowed)
            continue;
        const PartKind kind = partKindOf(head.mid(begin, end - begin));
        if (kind == PartKind::None)
            continue;
        qsizetype text = at + 1;
        while (text < line.size() && text < at + 3 && line[text] == u' ')
            ++text;
        return {.kind = kind, .label = begin, .text = text, .isServers = text == at + 3};
    }
    return {};
}

bool isOfOneEntry(const QString& one, const QString& other)
{
    const auto isNumeral = [](QChar c) { return c >= u'0' && c <= u'9'; };
    auto at = one.begin();
    auto to = other.begin();
    while (at != one.end() && to != other.end()) {
        if (isNumeral(*at) && isNumeral(*to)) {
            at = std::find_if_not(at, one.end(), isNumeral);
            to = std::find_if_not(to, other.end(), isNumeral);
        } else if (*at++ != *to++) {
            return false;
        }
    }
    return at == one.end() && to == other.end();
}

} // namespace lockscope::deadlock

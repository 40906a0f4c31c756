// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresLabels.h"

#include <QHash>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

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

PartKind kindOf(QStringView label)
{
    return kinds().value(label.toString().toLower(), PartKind::None);
}

} // namespace

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

bool isContext(const QString& label)
{
    return kindOf(label) == PartKind::Context;
}
bool isStatement(const QString& label)
{
    return kindOf(label) == PartKind::Statement;
}
bool isErrorOrRemark(const QString& label)
{
    const PartKind kind = kindOf(label);
    return kind == PartKind::Error || kind == PartKind::Remark;
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
        const PartKind kind = kindOf(head.mid(begin, end - begin));
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

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

static void add(AnswerTable& answers, const QString& pattern, Handler handler)
{
    answers.addPattern(QRegularExpression(QRegularExpression::anchoredPattern(pattern),
                           QRegularExpression::CaseInsensitiveOption),
        std::move(handler));
}

/// "SET LOCK_TIMEOUT 1000;\nSET XACT_ABORT ON" and so on: nothing but settings, kept in the session.
static void takeSettings(const Request& request, Reply& reply)
{
    static const QRegularExpression setting(
        u"\\bSET\\s+(TRANSACTION\\s+ISOLATION\\s+LEVEL|\\w+)\\s+([^;\\n]*?)\\s*(?=;|\\n|\\bSET\\b|$)"_s,
        QRegularExpression::CaseInsensitiveOption);
    for (auto match = setting.globalMatch(request.text); match.hasNext();) {
        const auto found = match.next();
        request.session->settings.insert(
            found.captured(1).simplified().toUpper(), found.captured(2).simplified().toUpper());
    }
    reply.done();
}

static void useDatabase(const Request& request, Reply& reply)
{
    reply.useDatabase(request.filledIn.value(0));
    reply.done();
}

void addDriverAnswers(AnswerTable& answers)
{
    add(answers, u"(?:\\s*SET\\s+(?:TRANSACTION\\s+ISOLATION\\s+LEVEL|\\w+)\\s+[\\w\\s,'-]+?;?)+"_s,
        takeSettings);
    // So Qt's QODBC finds out whether the driver has Unicode, and how exact times are.
    add(answers, u"select 'test'"_s, [](const Request&, Reply& reply) {
        reply.table({{u""_s, {Type::VarChar, 4}}}, {{u"test"_s}});
    });
    add(answers, u"(?:\\[sys\\]\\.)?sp_datatype_info(?:_100)?"_s, [](const Request&, Reply& reply) {
        reply.table(
            {{u"TYPE_NAME"_s, nvarchar(128)}, {u"DATA_TYPE"_s, integer()}, {u"PRECISION"_s, integer()}},
            {{u"datetime2"_s, 93, 27}});
    });
    add(answers, u"USE\\s+\\[?([^\\]]+)\\]?"_s, useDatabase);
    add(answers, u"PRINT\\s+N?'([^']*)'"_s, [](const Request& request, Reply& reply) {
        reply.info(0, request.filledIn.value(0));
        reply.done();
    });
    add(answers, u"BEGIN\\s+TRAN(?:SACTION)?"_s, [](const Request&, Reply& reply) {
        reply.begin();
        reply.done();
    });
    add(answers, u"COMMIT(?:\\s+TRAN(?:SACTION)?)?"_s, [](const Request&, Reply& reply) {
        reply.commit();
        reply.done();
    });
    add(answers, u"ROLLBACK(?:\\s+TRAN(?:SACTION)?)?"_s, [](const Request&, Reply& reply) {
        reply.rollback();
        reply.done();
    });
    add(answers, u"IF\\s+@@TRANCOUNT\\s*>\\s*0\\s+(COMMIT|ROLLBACK)(?:\\s+TRAN(?:SACTION)?)?"_s,
        [](const Request& request, Reply& reply) {
            if (request.session->transactionCount > 0)
                request.filledIn.value(0).toUpper() == u"COMMIT" ? reply.commit() : reply.rollback();
            reply.done();
        });
}

} // namespace lockscope::test::tds

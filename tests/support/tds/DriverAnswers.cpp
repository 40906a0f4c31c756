// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/DriverAnswers.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

void add(AnswerTable& answers, const QString& pattern, Handler handler)
{
    answers.addPattern(QRegularExpression(QRegularExpression::anchoredPattern(pattern),
                           QRegularExpression::CaseInsensitiveOption),
        std::move(handler));
}

/// "SET LOCK_TIMEOUT 1000;\nSET XACT_ABORT ON" and so on: nothing but settings, kept in the session.
void takeSettings(const Request& request, Reply& reply)
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

void useDatabase(const Request& request, Reply& reply)
{
    reply.useDatabase(request.filledIn.value(0));
    reply.done();
}

} // namespace

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

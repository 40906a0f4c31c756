// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/CheckAnswers.h"

#include "tests/support/tds/Catalogue.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

/// Returns the type in the catalogue of the server's views.
static Type typeOf(const char16_t* view, const char16_t* column)
{
    return Catalogue::get().view(QString::fromUtf16(view))->column(QString::fromUtf16(column))->type;
}

static Value oneOrZero(std::optional<bool> fact)
{
    return fact ? Value(*fact ? 1 : 0) : Value();
}

void addCheckAnswers(TdsServer& server, const CheckPicture& picture)
{
    server.answer("sqlserver/check/session", [picture](const Request&, Reply& reply) {
        reply.table(
            {{u""_s, nvarchar(128)}, {u""_s, nvarchar(128)}, {u""_s, nvarchar(40)}, {u""_s, nvarchar(40)},
                {u""_s, integer()}, {u""_s, integer()}, {u""_s, integer()}, {u""_s, integer()}},
            {{picture.login, picture.user, picture.authentication, u"TCP"_s, 0, oneOrZero(picture.reader),
                Value(), Value()}});
    });
    server.answer("sqlserver/check/encryption", [picture](const Request&, Reply& reply) {
        if (picture.encrypted)
            reply.table({{u"encrypt_option"_s, typeOf(u"sys.dm_exec_connections", u"encrypt_option")}},
                {{*picture.encrypted}});
        else
            reply.error(300, u"VIEW SERVER STATE permission was denied on object 'server'."_s, 14);
    });
    server.answer("sqlserver/check/database", [picture](const Request& request, Reply& reply) {
        reply.table({{u"name"_s, typeOf(u"sys.databases", u"name")},
                        {u"collation_name"_s, typeOf(u"sys.databases", u"collation_name")},
                        {u""_s, integer()}, {u""_s, integer()},
                        {u"snapshot_isolation_state_desc"_s,
                            typeOf(u"sys.databases", u"snapshot_isolation_state_desc")},
                        {u""_s, integer()}, {u""_s, nvarchar(60)}},
            {{request.session->database, picture.collation, 160, picture.readCommittedSnapshot ? 1 : 0,
                picture.snapshotIsolation, oneOrZero(picture.optimizedLocking), u"READ_WRITE"_s}});
    });
    server.answer("sqlserver/check/schema_owner", [picture](const Request&, Reply& reply) {
        reply.table({{u""_s, nvarchar(128)}}, {{picture.schema.owner}});
    });
    answerSchema(server, [picture](const Request&) { return picture.schema; });
}

} // namespace lockscope::test::tds

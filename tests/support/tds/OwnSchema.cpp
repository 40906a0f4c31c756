// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/OwnSchema.h"

#include "tests/support/Files.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

namespace {

QString joined(TokenSpan tokens)
{
    QString text;
    for (const Token& token : tokens)
        text += token.text;
    return text;
}

/// "schema.name" at `i`
QString nameAt(TokenSpan tokens, size_t i)
{
    return joined(tokens.subspan(i, 3));
}

std::vector<Declaration> declarationsFrom(TokenSpan list)
{
    std::vector<Declaration> declarations;
    for (const TokenSpan part : partedByCommas(list))
        declarations.push_back(declarationFrom(part));
    return declarations;
}

} // namespace

Declaration declarationFrom(TokenSpan part)
{
    if (part.back().is(u"OUTPUT"))
        part = part.first(part.size() - 1);
    const size_t is = findWord(part, 0, {u"="});
    Declaration declaration{.name = part.front().text.toUpper(), .typeText = joined(part.subspan(1, is - 1))};
    const auto type = typeFromText(declaration.typeText);
    if (!type)
        throw Refused(u"the double has no type "_s + declaration.typeText);
    declaration.type = *type;
    if (is < part.size())
        declaration.initial = part.subspan(is + 1);
    return declaration;
}

TableDefinition tableFrom(const QString& name, TokenSpan columns, const QString& order)
{
    TableDefinition defined{{name, {}}, {}, {}};
    QStringList parts;
    for (const TokenSpan part : partedByCommas(columns)) {
        if (part.front().is(u"CONSTRAINT") || part.front().is(u"PRIMARY") || part.front().is(u"UNIQUE")) {
            // Checks are for the server.
            if (const size_t list = findWord(part, 0, {u"("}); !part[list - 1].is(u"CHECK"))
                parts << u"UNIQUE "_s + joined(part.subspan(list));
            continue;
        }
        const QString column = part.front().name();
        const size_t kept = findWord(part, 0, {u"PERSISTED"});
        if (kept < part.size()) {
            defined.table.columns.push_back({column, varbinary(32), false});
            defined.types << u"varbinary"_s;
            parts << u"\"%1\" AS (%2) STORED"_s.arg(
                column, translate(part.subspan(2, kept - 2), {}).statement);
            continue;
        }
        const size_t typeEnd = part.size() > 2 && part[2].is(u"(") ? afterBracket(part, 2) : 2;
        const bool isNullable = findWord(part, 0, {u"NOT"}) == part.size();
        const auto type = typeFromText(joined(part.subspan(1, typeEnd - 1)));
        defined.table.columns.push_back({column, type.value_or(Type()), isNullable});
        defined.types << part[1].name().toLower();
        QString definition = u'"' + column + u'"';
        const size_t standard = findWord(part, 0, {u"DEFAULT"});
        if (findWord(part, 0, {u"IDENTITY"}) < part.size())
            definition += u" INTEGER PRIMARY KEY AUTOINCREMENT"_s;
        else if (findWord(part, 0, {u"PRIMARY", u"UNIQUE"}) < part.size())
            definition += u" UNIQUE"_s;
        if (type && type->isText())
            definition += u" COLLATE "_s + order;
        if (!isNullable)
            definition += u" NOT NULL"_s;
        if (standard < part.size()) {
            const size_t end = findWord(part, standard, {u"NOT", u"PRIMARY"});
            definition += u" DEFAULT (%1)"_s.arg(
                translate(part.subspan(standard + 1, end - standard - 1), {}).statement);
        }
        parts << definition;
    }
    defined.sql = u"CREATE TABLE %1 (%2)"_s.arg(name, parts.join(u", "_s));
    return defined;
}

const OwnSchema& OwnSchema::get()
{
    static const OwnSchema schema;
    return schema;
}

OwnSchema::OwnSchema()
{
    QString batch;
    for (const QString& line :
        QString::fromUtf8(readFile(u":/schema/sqlserver/install.sql"_s)).split(u'\n')) {
        batch += line + u'\n';
        if (line.trimmed() != u"GO")
            continue;
        batch.chop(3);
        m_batches.push_back(tokensOf(batch));
        read(m_batches.back());
        batch.clear();
    }
}

void OwnSchema::read(TokenSpan batch)
{
    for (size_t i = 0; i + 5 < batch.size(); ++i) {
        if (!batch[i].is(u"CREATE"))
            continue;
        const Token& kind = batch[i + 1];
        const QString name = nameAt(batch, i + 2);
        if (kind.is(u"TABLE")) {
            const TableDefinition defined =
                tableFrom(name, batch.subspan(i + 6, afterBracket(batch, i + 5) - i - 7), u"tsql_units"_s);
            m_definitions << defined.sql;
            m_tables.push_back(defined.table);
        } else if (kind.is(u"FUNCTION")) {
            const size_t end = afterBracket(batch, i + 5);
            m_routines[name] = {declarationsFrom(batch.subspan(i + 6, end - i - 7)),
                batch.subspan(findWord(batch, end, {u"AS"}) + 1)};
        } else if (kind.is(u"PROCEDURE")) {
            const size_t as = findWord(batch, i, {u"AS"});
            m_routines[name] = {declarationsFrom(batch.subspan(i + 5, as - i - 5)), batch.subspan(as + 1)};
        } else if (kind.is(u"TRIGGER")) {
            const size_t as = findWord(batch, i, {u"AS"});
            const Routine routine{{}, batch.subspan(as + 1), batch[i + 9].is(u"INSTEAD")};
            for (size_t event = i + 9; event < as; ++event)
                m_triggers[{nameAt(batch, i + 6), batch[event].text}] = routine;
        }
    }
}

const Routine* OwnSchema::find(const QString& name) const
{
    for (const auto& [known, routine] : m_routines)
        if (known.compare(name, Qt::CaseInsensitive) == 0)
            return &routine;
    return nullptr;
}

const Routine* OwnSchema::trigger(const QString& table, const QString& event) const
{
    const auto found = m_triggers.find({table, event});
    return found == m_triggers.end() ? nullptr : &found->second;
}

} // namespace lockscope::test::tds::tsql

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/ExecuteSql.h"

#include "tests/support/tds/Messages.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

/// Goes through a text piece by piece; spaces between the pieces don't count.
class Scanner {
public:
    explicit Scanner(const QString& text)
        : m_text(text)
    {
        skipSpace();
    }

    bool atEnd() const { return m_position == m_text.size(); }
    /// Takes what the pattern matches here; the captures are left in `captures`.
    bool take(const QString& pattern, QStringList* captures = nullptr)
    {
        const QRegularExpression expression(pattern,
            QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
        const auto match = expression.match(m_text, m_position, QRegularExpression::NormalMatch,
            QRegularExpression::AnchorAtOffsetMatchOption);
        if (!match.hasMatch())
            return false;
        if (captures)
            *captures = match.capturedTexts();
        m_position = match.capturedEnd();
        skipSpace();
        return true;
    }
    bool takeLiteral(QString& value)
    {
        QStringList captures;
        if (!take(u"N?'((?:[^']|'')*)'"_s, &captures))
            return false;
        value = captures[1].isEmpty() ? u""_s : captures[1].replace(u"''"_s, u"'"_s);
        return true;
    }

private:
    void skipSpace()
    {
        while (m_position < m_text.size() && m_text[m_position].isSpace())
            ++m_position;
    }

    const QString& m_text;
    qsizetype m_position = 0;
};

const Parameter* named(const std::vector<Parameter>& parameters, const QString& name)
{
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    return found == parameters.end() ? nullptr : &*found;
}

/// One "EXEC sys.sp_executesql …" with its surroundings.
std::optional<InnerStatement> takeItem(Scanner& scanner, const std::vector<Parameter>& outer)
{
    InnerStatement item;
    item.isCaught = true;
    QString declaration;
    if (!scanner.take(u"BEGIN\\s+TRY\\b"_s) || !scanner.take(u"EXEC(?:UTE)?\\s+(?:sys\\.)?sp_executesql\\b"_s)
        || !scanner.takeLiteral(item.text))
        return std::nullopt;
    if (scanner.take(u","_s) && !scanner.takeLiteral(declaration))
        return std::nullopt;
    QStringList names;
    while (scanner.take(u",\\s*(@\\w+)\\s*=\\s*(@\\w+)"_s, &names)) {
        const Parameter* const given = named(outer, names[2]);
        if (!given)
            return std::nullopt;
        item.parameters.push_back(*given);
        item.parameters.back().name = names[1];
    }
    QStringList report;
    if (!scanner.take(u";?(.*?);?\\s*END\\s+TRY\\b"_s, &report))
        return std::nullopt;
    auto done = EndReport::parse(report[1]);
    if (!scanner.take(u";?\\s*BEGIN\\s+CATCH\\b(.*?);?\\s*END\\s+CATCH\\b;?"_s, &report))
        return std::nullopt;
    auto failed = EndReport::parse(report[1]);
    if (!done || !failed)
        return std::nullopt;
    item.done = std::move(*done);
    item.failed = std::move(*failed);
    return item;
}

} // namespace

QStringList declaredNames(const QString& declaration)
{
    static const QRegularExpression name(u"@\\w+"_s);
    QStringList names;
    for (auto match = name.globalMatch(declaration); match.hasNext();)
        names << match.next().captured();
    return names;
}

void nameByDeclaration(std::vector<Parameter>& parameters, const QString& declaration)
{
    const QStringList names = declaredNames(declaration);
    for (size_t i = 0; i < parameters.size() && i < static_cast<size_t>(names.size()); ++i)
        if (parameters[i].name.isEmpty())
            parameters[i].name = names[static_cast<qsizetype>(i)];
}

std::optional<EndReport> EndReport::parse(const QString& select)
{
    EndReport report;
    Scanner scanner(select);
    if (scanner.atEnd())
        return report;
    if (!scanner.take(u"SELECT\\b"_s))
        return std::nullopt;
    do {
        const bool isCast = scanner.take(u"CAST\\s*\\("_s);
        QStringList found;
        if (!scanner.take(u"(?:@@ROWCOUNT|\\w+\\(\\)|-?\\d+|N?'(?:[^']|'')*')"_s, &found))
            return std::nullopt;
        const QString expression = found[0];
        Column column{{},
            expression.startsWith(u"ERROR_MESSAGE"_s) || expression.contains(u'\'') ? nvarchar(4000)
                                                                                    : integer()};
        if (expression.compare(u"ROWCOUNT_BIG()", Qt::CaseInsensitive) == 0)
            column.type = bigint();
        if (isCast) {
            if (!scanner.take(u"AS\\s+(\\w+)(?:\\(\\w+\\))?\\s*\\)"_s, &found))
                return std::nullopt;
            if (found[1].compare(u"bigint"_s, Qt::CaseInsensitive) == 0)
                column.type = bigint();
            else if (found[1].contains(u"char"_s, Qt::CaseInsensitive))
                column.type = nvarchar(4000);
        }
        if (scanner.take(u"AS\\s+\\[?(\\w+)\\]?"_s, &found))
            column.name = found[1];
        report.m_columns.push_back(column);
        report.m_expressions << expression;
    } while (scanner.take(u","_s));
    return scanner.atEnd() || scanner.take(u";\\z"_s) ? std::optional(report) : std::nullopt;
}

Values EndReport::values(const End& end) const
{
    const ServerMessage error = end.error.value_or(ServerMessage{.number = 0, .severity = 0, .state = 0});
    Values values;
    for (const QString& expression : m_expressions) {
        const QString upper = expression.toUpper();
        if (upper == u"@@ROWCOUNT" || upper == u"ROWCOUNT_BIG()")
            values.emplace_back(end.rowCount);
        else if (upper == u"ERROR_NUMBER()")
            values.emplace_back(error.number);
        else if (upper == u"ERROR_MESSAGE()")
            values.emplace_back(error.text);
        else if (upper == u"ERROR_SEVERITY()")
            values.emplace_back(error.severity);
        else if (upper == u"ERROR_STATE()")
            values.emplace_back(error.state);
        else if (upper == u"ERROR_LINE()")
            values.emplace_back(error.line);
        else if (upper == u"XACT_STATE()")
            values.emplace_back(end.transactionState);
        else if (QString literal; Scanner(expression).takeLiteral(literal))
            values.emplace_back(literal);
        else
            values.emplace_back(expression.toLongLong());
    }
    return values;
}

namespace {

/// One argument of a call: "@P1 OUTPUT", "@Name = N'nightly'", "600000000", "NULL".
std::optional<Parameter> takeArgument(Scanner& scanner, const std::vector<Parameter>& outer)
{
    QStringList found;
    QString name;
    if (scanner.take(u"(@\\w+)\\s*="_s, &found))
        name = found[1];
    Parameter argument;
    QString text;
    if (scanner.take(u"(@\\w+)(\\s+OUT(?:PUT)?\\b)?"_s, &found)) {
        const Parameter* const given = named(outer, found[1]);
        if (!given)
            return std::nullopt;
        argument = *given;
    } else if (scanner.takeLiteral(text)) {
        argument.value = text;
    } else if (scanner.take(u"-?\\d+"_s, &found)) {
        argument.value = found[0].toLongLong();
    } else if (!scanner.take(u"NULL\\b"_s)) {
        return std::nullopt;
    }
    argument.name = name;
    return argument;
}

/// "EXEC schema.procedure @P1, @P2": how a driver sends a call that it has prepared, or "EXEC
/// schema.procedure @Name = N'nightly'", as people write it. sp_executesql is taken apart, any other
/// procedure is known by its name.
std::optional<InnerStatement> preparedCall(const QString& text, const std::vector<Parameter>& outer)
{
    Scanner scanner(text);
    QStringList found;
    if (!scanner.take(u"EXEC(?:UTE)?\\s+((?:\\w+\\.)*\\w+)(?=[\\s;]|$)"_s, &found))
        return std::nullopt;
    InnerStatement call{found[1]};
    if (!scanner.take(u";"_s) && !scanner.atEnd()) {
        do {
            auto argument = takeArgument(scanner, outer);
            if (!argument)
                return std::nullopt;
            call.parameters.push_back(std::move(*argument));
        } while (scanner.take(u","_s));
        scanner.take(u";"_s);
    }
    if (!scanner.atEnd())
        return std::nullopt;
    const bool isExecuteSql =
        call.text.split(u'.').last().compare(u"sp_executesql"_s, Qt::CaseInsensitive) == 0;
    if (!isExecuteSql || call.parameters.empty()) {
        call.isProcedure = true;
        return call;
    }
    InnerStatement statement{statementText(call.parameters[0].value.toText())};
    for (size_t i = 2; i < call.parameters.size(); ++i)
        statement.parameters.push_back(call.parameters[i]);
    if (call.parameters.size() > 1)
        nameByDeclaration(statement.parameters, call.parameters[1].value.toText());
    return statement;
}

/// The items of a batch; none if the text is something else.
std::vector<InnerStatement> itemsOf(const QString& text, const std::vector<Parameter>& parameters)
{
    std::vector<InnerStatement> items;
    Scanner scanner(text);
    while (!scanner.atEnd()) {
        auto item = takeItem(scanner, parameters);
        if (!item)
            return {};
        items.push_back(std::move(*item));
    }
    return items;
}

} // namespace

std::vector<InnerStatement> innerStatements(const QString& text, std::vector<Parameter> parameters)
{
    if (auto items = itemsOf(text, parameters); !items.empty())
        return items;
    auto call = preparedCall(text, parameters);
    if (!call)
        call = InnerStatement{text, std::move(parameters)};
    // The text of sp_executesql is a batch, too, but no call that a driver has prepared.
    else if (!call->isProcedure)
        if (auto items = itemsOf(call->text, call->parameters); !items.empty())
            return items;
    return {std::move(*call)};
}

} // namespace lockscope::test::tds

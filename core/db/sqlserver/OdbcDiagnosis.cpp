// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcDiagnosis.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <sqlext.h>
#include <sqlucode.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

struct Record {
    QString state;
    int number = 0;
    QString text;

    bool isError() const { return !state.startsWith(u"01"); }
};

QString fromWide(const SQLWCHAR* text, qsizetype size)
{
    return QString::fromUtf16(reinterpret_cast<const char16_t*>(text), size);
}

std::vector<Record> recordsOf(SQLSMALLINT type, SQLHANDLE handle)
{
    constexpr int atMost = 20; // a server may send thousands of messages
    std::vector<Record> records;
    std::array<SQLWCHAR, 6> state{};
    std::array<SQLWCHAR, 4097> text{};
    for (SQLSMALLINT i = 1; i <= atMost; ++i) {
        SQLINTEGER number = 0;
        SQLSMALLINT length = 0;
        if (!SQL_SUCCEEDED(
                SQLGetDiagRecW(type, handle, i, state.data(), &number, text.data(), text.size(), &length)))
            break;
        const qsizetype size = std::clamp<qsizetype>(length, 0, text.size() - 1);
        records.push_back(
            {fromWide(state.data(), 5), number, withoutDriverNames(fromWide(text.data(), size))});
    }
    return records;
}

} // namespace

QString withoutDriverNames(QString text)
{
    static const QRegularExpression names(u"^(?:\\s*\\[[^\\]]*\\])+\\s*"_s);
    return text.remove(names).simplified();
}

OdbcDiagnosis OdbcDiagnosis::of(SQLSMALLINT handleType, SQLHANDLE handle)
{
    const std::vector<Record> records = recordsOf(handleType, handle);
    const bool withError = std::any_of(records.begin(), records.end(), std::mem_fn(&Record::isError));
    QStringList codes;
    QStringList texts;
    for (const Record& record : records) {
        if (withError && !record.isError())
            continue;
        if (record.number != 0)
            codes << QString::number(record.number);
        codes << record.state;
        if (!texts.contains(record.text))
            texts << record.text;
    }
    return {codes.join(u';'), texts.join(u' ')};
}

bool OdbcDiagnosis::anyError(SQLSMALLINT handleType, SQLHANDLE handle)
{
    const std::vector<Record> records = recordsOf(handleType, handle);
    return std::any_of(records.begin(), records.end(), std::mem_fn(&Record::isError));
}

} // namespace lockscope::db

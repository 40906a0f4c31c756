// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerConnection.h"

#include "core/db/credentials/Secrets.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxBatchTexts = 50;

const QString itemEnd = u"lockscope_item_end"_s; ///< the first column of the row that ends an item

QString literal(const QString& text)
{
    QString doubled = text;
    doubled.replace(u'\'', u"''"_s);
    return u"N'"_s + doubled + u'\'';
}

/// Returns the name by declarationOf(); counted from 1.
QString parameterName(size_t number)
{
    return u"@P%1"_s.arg(number);
}

} // namespace

/// Tells the items' result sets apart: each item's rows end with a row about how it went.
class SqlServerConnection::BatchReceiver final : public Receiver {
public:
    struct Item {
        const BatchItem* item = nullptr;
        bool isSent = false;
        bool ended = false;
        bool hadRows = false;
        qint64 rows = 0;
        qint64 affected = 0;
        QString errorNumber;
        QString errorText;
    };

    explicit BatchReceiver(std::vector<Item>& items)
        : m_items(items)
        , m_end([this](const Row& row) { end(row); })
    {
        skip();
    }
    const RowSink* resultSet(const QString& firstColumn) override
    {
        m_atEnd = firstColumn == itemEnd;
        if (m_atEnd)
            return &m_end;
        if (m_current == m_items.size())
            return nullptr;
        m_items[m_current].hadRows = true;
        return &m_items[m_current].item->sink;
    }
    void rowsOfSet(qint64 rows) override
    {
        if (!m_atEnd && m_current < m_items.size())
            m_items[m_current].rows += rows;
    }

private:
    void skip()
    {
        while (m_current < m_items.size() && !m_items[m_current].isSent)
            ++m_current;
    }
    void end(const Row& row)
    {
        if (m_current == m_items.size())
            return;
        Item& item = m_items[m_current++];
        item.ended = true;
        item.affected = row.int64(0);
        if (row.int64(1) != 0) {
            item.errorNumber = row.text(1);
            item.errorText = row.text(2);
        }
        skip();
    }

    std::vector<Item>& m_items;
    size_t m_current = 0;
    bool m_atEnd = false;
    const RowSink m_end;
};

/// The whole text for a list of items: made once for each list of statements and parameter types.
QString SqlServerConnection::batchText(std::span<const BatchItem> items, const std::vector<bool>& sendable)
{
    QByteArray key;
    for (size_t i = 0; i < items.size(); ++i) {
        key += QByteArray::number(sendable[i] ? items[i].statement->id() : 0);
        for (const Param& param : items[i].params)
            key += OdbcParams::typeName(param).left(12);
        key += ';';
    }
    // Look-ups of names come in ever new lists.
    if (m_batches.size() >= maxBatchTexts && !m_batches.contains(key))
        m_batches.clear();
    QString& text = m_batches[key];
    if (!text.isEmpty())
        return text;
    const QString form = textOf(Statement::get("sqlserver/session/batch_item"));
    size_t outer = 0;
    for (size_t i = 0; i < items.size(); ++i) {
        if (!sendable[i])
            continue;
        QString arguments;
        for (size_t p = 0; p < items[i].params.size(); ++p)
            arguments += u", %1 = %2"_s.arg(parameterName(p + 1), parameterName(++outer));
        QString one = form;
        // The text last: it may hold the other placeholders' names.
        one.replace(u"{declaration}"_s, literal(declarationOf(items[i].params)));
        one.replace(u"{arguments}"_s, arguments);
        one.replace(u"{text}"_s, literal(textOf(*items[i].statement)));
        text += one + u'\n';
    }
    return text;
}

/// Returns the parameters of all items that can be sent. The texts come first among the parameters, but only
/// who can be bound has a place in them.
std::vector<Param> SqlServerConnection::checkBatch(
    std::span<const BatchItem> items, std::vector<Result<qint64>>& results, std::vector<bool>& sendable)
{
    OdbcParams checked;
    std::vector<Param> values;
    for (size_t i = 0; i < items.size(); ++i) {
        if (std::optional<Error> refused = refusal(items[i].statement->whatFailed())) {
            results[i] = Failure(std::move(*refused));
            sendable[i] = false;
            continue;
        }
        checked.clear();
        for (const Param& param : items[i].params)
            if (const Result<void> added = checked.add(param, checked.count() + 1); !added && sendable[i]) {
                results[i] = Failure(added.error());
                sendable[i] = false;
            }
        if (sendable[i])
            values.insert(values.end(), items[i].params.begin(), items[i].params.end());
    }
    return values;
}

std::vector<Result<qint64>> SqlServerConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    std::vector<Result<qint64>> results(items.size(), 0);
    std::vector<bool> sendable(items.size(), true);
    m_params.clear();
    const std::vector<Param> values = checkBatch(items, results, sendable);
    std::vector<BatchReceiver::Item> received(items.size());
    bool any = false;
    for (size_t i = 0; i < items.size(); ++i) {
        received[i].item = &items[i];
        received[i].isSent = sendable[i];
        any = any || sendable[i];
    }
    if (!any)
        return results;
    const QString text = batchText(items, sendable);
    const bool isCall = !values.empty();
    if (isCall)
        std::ignore = bindCall(text, declarationOf(values), values); // each was checked above
    BatchReceiver receiver(received);
    const QString what = u"A batch of statements failed."_s;
    const Answer answer = sendCancellably(isCall ? callText(static_cast<int>(values.size())) : text,
        isCall ? Form::Call : Form::Batch, receiver, what, stop);
    bool anyFailed = false;
    for (size_t i = 0; i < items.size(); ++i) {
        if (!sendable[i])
            continue;
        const BatchReceiver::Item& item = received[i];
        if (item.ended && item.errorNumber.isEmpty()) {
            results[i] = item.hadRows ? item.rows : item.affected;
            continue;
        }
        anyFailed = true;
        Error error = item.ended
            ? m_dialect->mapError(item.errorNumber, scrubbed(item.errorText.simplified(), m_password),
                items[i].statement->whatFailed())
            : answer.error.value_or(m_dialect->mapError(
                {}, u"The server sent no answer to it."_s, items[i].statement->whatFailed()));
        error.what = items[i].statement->whatFailed();
        error.server = m_url.display();
        results[i] = Failure(std::move(error));
    }
    if (anyFailed && !answer.error && m_transaction == Transaction::Open)
        learnTransactionState();
    return results;
}

} // namespace lockscope::db

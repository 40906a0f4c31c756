// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SessionName.h"

#include "core/base/Sentences.h"

#include <QStringList>

namespace lockscope {

using namespace Qt::StringLiterals;

bool isPrepared(const Snapshot& snapshot, SessionId id)
{
    return id.value <= 0 && snapshot.engine == Engine::Postgres;
}

QString preparedLiteral(const Snapshot& snapshot, SessionId id)
{
    static const QString statement = u"PREPARE TRANSACTION "_s;
    const Session* session = isPrepared(snapshot, id) ? snapshot.session(id) : nullptr;
    return session && session->statement.startsWith(statement) ? session->statement.mid(statement.size())
                                                               : QString();
}

QString sessionName(const Snapshot& snapshot, SessionId id)
{
    if (!isPrepared(snapshot, id))
        return QString::number(id.value);
    const QString literal = preparedLiteral(snapshot, id);
    return literal.isEmpty() ? u"a prepared transaction"_s : u"prepared "_s + literal;
}

QString sessionTitle(const Snapshot& snapshot, SessionId id)
{
    const Session* session = isPrepared(snapshot, id) ? nullptr : snapshot.session(id);
    const QString name = sessionName(snapshot, id);
    return session && !session->program.isEmpty() ? name + u' ' + session->program : name;
}

QString sessionNames(const Snapshot& snapshot, const std::vector<SessionId>& ids)
{
    QStringList names;
    for (const SessionId id : ids) {
        if (names.size() == maxNamesInList)
            break;
        names << sessionName(snapshot, id);
    }
    return namesAndMore(names, static_cast<qsizetype>(ids.size()));
}

} // namespace lockscope

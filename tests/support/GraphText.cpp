// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/GraphText.h"

#include <QRegularExpression>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime atSecond(qint64 second)
{
    return {second * 1'000'000};
}

void addRequest(Snapshot& snapshot, const QString& text)
{
    static const QRegularExpression form(uR"(^(\d+)(?:/(\d+))? (\?|!)?([\w-]+)(?:@(\d+))?$)"_s);
    const auto match = form.match(text);
    if (!match.hasMatch())
        qFatal("not a request: %s", qUtf8Printable(text));
    LockRequest request;
    request.session = {match.captured(1).toLongLong()};
    request.resource = static_cast<quint32>(snapshot.resources.size() - 1);
    request.mode = LockMode::fromText(snapshot.engine, match.captured(4));
    if (match.captured(3) == u"?")
        request.state = RequestState::Waiting;
    else if (match.captured(3) == u"!")
        request.state = RequestState::Converting;
    if (match.hasCaptured(5)) {
        request.since = atSecond(match.captured(5).toLongLong());
        request.sinceExact = true;
    }
    snapshot.requests.push_back(request);
    const bool known = std::ranges::any_of(
        snapshot.sessions, [&](const lockscope::Session& s) { return s.id == request.session; });
    if (known)
        return;
    lockscope::Session session;
    session.id = request.session;
    session.leader = {match.captured(2).toLongLong()};
    snapshot.sessions.push_back(session);
}

} // namespace

std::vector<WaitEdge> edgesFromText(const QString& text)
{
    std::vector<WaitEdge> edges;
    for (const QString& edge : text.split(u' ', Qt::SkipEmptyParts)) {
        const QStringList ends = edge.split(u"<-"_s);
        edges.push_back({{ends.at(1).toLongLong()}, {ends.at(0).toLongLong()}, 0, WaitEdge::Kind::Holder});
    }
    return edges;
}

BlockingGraph graphFromText(const QString& text)
{
    return BlockingGraph(edgesFromText(text));
}

Snapshot snapshotFromText(const QString& text, Engine engine)
{
    Snapshot snapshot;
    snapshot.engine = engine;
    snapshot.takenAt = atSecond(1'000);
    for (const QString& part : text.split(u';', Qt::SkipEmptyParts)) {
        Resource resource;
        resource.name = part.section(u':', 0, 0).trimmed();
        resource.key = {ResourceKind::ApplicationLock, 1, 0, 0, resource.name};
        snapshot.resources.push_back(resource);
        for (const QString& request : part.section(u':', 1).split(u',', Qt::SkipEmptyParts))
            addRequest(snapshot, request.trimmed());
    }
    snapshot.index();
    return snapshot;
}

Snapshot waitingFromText(const QString& text, Engine engine)
{
    Snapshot snapshot = snapshotFromText(text, engine);
    addWaits(snapshot);
    return snapshot;
}

QString textOf(const std::vector<WaitEdge>& edges)
{
    QStringList words;
    for (const WaitEdge& edge : edges) {
        const QString arrow = edge.kind == WaitEdge::Kind::Holder ? u"->"_s : u"~>"_s;
        words << QString::number(edge.waiter.value) + arrow + QString::number(edge.blocker.value);
    }
    words.sort();
    return words.join(u' ');
}

QString textOf(const std::vector<SessionId>& sessions)
{
    QStringList words;
    for (const SessionId session : sessions)
        words << QString::number(session.value);
    return words.join(u' ');
}

} // namespace lockscope::test

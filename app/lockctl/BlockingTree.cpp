// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/BlockingTree.h"

#include "app/lockctl/TextTable.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

BlockingTree::BlockingTree(const Snapshot& snapshot, int columns, bool colours)
    : m_snapshot(snapshot)
    , m_graph(snapshot)
    , m_columns(columns)
    , m_colours(colours)
{
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const Session* session = snapshot.session(request.session);
        const SessionId group = session && session->leader.isValid() ? session->leader : request.session;
        m_requests.insert({group, request.resource}, &request);
    }
    collectWaiters();
}

void BlockingTree::collectWaiters()
{
    QSet<SessionId> waitsForHolder;
    for (const WaitEdge& wait : m_snapshot.waits) {
        if (wait.kind == WaitEdge::Kind::Holder) {
            waitsForHolder.insert(wait.waiter);
            m_waiters[wait.blocker].push_back(&wait);
        }
    }
    // Some wait for nobody but those ahead in the queue: the nearest one, which comes first, stands for all.
    QSet<SessionId> placed;
    for (const WaitEdge& wait : m_snapshot.waits) {
        if (wait.kind == WaitEdge::Kind::Queue && !waitsForHolder.contains(wait.waiter)
            && !placed.contains(wait.waiter)) {
            placed.insert(wait.waiter);
            m_waiters[wait.blocker].push_back(&wait);
        }
    }
    const auto since = [this](const WaitEdge* wait) {
        const LockRequest* request = requestOf(*wait);
        return request && request->since ? *request->since : m_snapshot.takenAt;
    };
    for (auto& waits : m_waiters)
        std::stable_sort(waits.begin(), waits.end(),
            [&since](const WaitEdge* a, const WaitEdge* b) { return since(a) < since(b); });
}

QStringList BlockingTree::lines()
{
    for (const auto& head : m_graph.heads())
        addBelow({head.session, nullptr, 0});
    for (const auto& ring : m_graph.cycles()) {
        QStringList names;
        for (const SessionId session : ring)
            names << QString::number(session.value);
        m_lines << toned(
            u"Deadlock: %1 wait for each other."_s.arg(names.join(u", "_s)), Tone::Alarm, m_colours);
        for (const SessionId session : ring) {
            if (!m_shown.contains(session))
                addBelow({session, nullptr, 0});
        }
    }
    if (m_lines.isEmpty())
        m_lines << (m_snapshot.isIncomplete()
                ? u"Nobody was seen waiting for a lock, but not everything could be read:"_s
                : u"Nobody waits for a lock."_s);
    return m_lines;
}

void BlockingTree::addBelow(const Node& root)
{
    std::vector<Node> open{root};
    while (!open.empty()) {
        const Node node = open.back();
        open.pop_back();
        const bool seen = m_shown.contains(node.session);
        m_shown.insert(node.session);
        addLine(node, seen);
        if (seen)
            continue;
        const auto waits = m_waiters.value(node.session);
        for (auto wait = waits.rbegin(); wait != waits.rend(); ++wait)
            open.push_back({(*wait)->waiter, *wait, node.level + 1});
    }
}

void BlockingTree::addLine(const Node& node, bool seen)
{
    QString text = QString(qsizetype(node.level) * 2, u' ') + describe(node);
    if (seen && m_waiters.contains(node.session))
        text += u"  (its waiters: see above)"_s;
    m_lines << toned(
        m_columns > 0 ? fitted(text, m_columns) : text, node.wait ? Tone::Plain : Tone::Bold, m_colours);
}

QString BlockingTree::describe(const Node& node) const
{
    const Session* session = m_snapshot.session(node.session);
    QString text = whoIs(node.session);
    if (!node.wait) {
        const int victims = m_graph.victimsOf(node.session);
        text += u"  blocks %1"_s.arg(victims);
        if (session)
            text += u"  "_s + whatItDoes(*session);
        return text;
    }
    const LockRequest* request = requestOf(*node.wait);
    const Resource& resource = m_snapshot.resources[node.wait->resource];
    const auto age = request ? m_snapshot.ageOf(*request) : std::nullopt;
    text += u"  waits %1 for %2 on %3"_s.arg(age ? age->toString() : u"?"_s,
        request ? request->mode.name() : u"a lock"_s, printable(resource.name));
    if (const int victims = m_graph.victimsOf(node.session); victims > 0)
        text += u"  blocks %1"_s.arg(victims);
    if (session && session->statementVisible)
        text += u"  "_s + printable(session->statement).simplified();
    return text;
}

QString BlockingTree::whoIs(SessionId id) const
{
    const Session* session = m_snapshot.session(id);
    QString text = QString::number(id.value);
    if (!session)
        return text + u"  (not seen)"_s;
    text += u"  "_s + printable(session->user);
    if (!session->host.isEmpty())
        text += u'@' + printable(session->host);
    if (!session->program.isEmpty())
        text += u"  "_s + printable(session->program);
    return text;
}

QString BlockingTree::whatItDoes(const Session& session) const
{
    QString text = sessionStateName(session.state);
    if (session.stateSince)
        text += u' '
            + formatDuration(
                std::chrono::duration_cast<milliseconds>(m_snapshot.takenAt - *session.stateSince));
    if (session.statementVisible && !session.statement.isEmpty())
        text += u": "_s + printable(session.statement).simplified();
    // Often the same; else the call that the statement is a part of.
    const QString sent = printable(session.inputBuffer).simplified();
    if (!sent.isEmpty() && sent != printable(session.statement).simplified())
        text += u"  sent: "_s + sent;
    return text;
}

const LockRequest* BlockingTree::requestOf(const WaitEdge& wait) const
{
    return m_requests.value({wait.waiter, wait.resource}, nullptr);
}

} // namespace lockscope::ctl

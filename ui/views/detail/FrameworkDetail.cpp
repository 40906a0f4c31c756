// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/DetailText.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/domain/HolderLife.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/help/OwnPages.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

using Section = DetailText::Section;

void begin(Section& section, const FrameworkMatch& match)
{
    const FrameworkLock* lock = match.lockDefinition;
    section.add(u"Framework"_s,
        match.certain ? match.frameworkName
                      : u"probably %1; another program may use the same lock"_s.arg(match.frameworkName));
    section.add(u"Its name"_s, match.name);
    section.add(u"Known by"_s, match.evidence);
    if (!lock) {
        section.add(u"Meaning"_s, u"No file here describes this lock."_s);
        return;
    }
    section.add(u"Done under it"_s, lock->purpose);
    section.add(u"Ends"_s, lock->ends);
}

void end(DetailText& text, Section& section, const FrameworkMatchPtr& match)
{
    text.framework = match;
    if (const FrameworkLock* lock = match->lockDefinition) {
        section.add(u"Danger"_s, lock->danger);
        section.add(u"Its own command"_s, lock->vendorCommand);
        section.add(QString(), lock->vendorNote);
        text.vendorCommand = lock->vendorCommand;
        text.vendorNote = lock->vendorNote;
    }
    text.helpPage = frameworkChapter(*match);
    text.sections.prepend(std::move(section));
}

QString queueText(const Snapshot& snapshot, const LockTableEntry& entry)
{
    const auto queue = queueOf(snapshot, {entry.table, entry.name}, snapshot.takenAt);
    return queue.empty()
        ? u"unknown: a program that waits for it tries again and again, and leaves no trace here"_s
        : counted(qint64(queue.size()), u"program");
}

/// Returns the sessions that wait for this very lock.
QString waitersText(const Snapshot& snapshot, quint32 resource)
{
    QStringList names;
    for (const LockRequest& request : snapshot.requests) {
        if (request.resource == resource && request.isWaiting())
            names << sessionTitle(snapshot, request.session);
    }
    return names.isEmpty() ? u"nobody"_s : nameList(names, 5);
}

/// Returns the names of the holders, by the request that waits or holds.
QString holderText(const Snapshot& snapshot, const LockRequest& request)
{
    QStringList names;
    for (const LockRequest& each : snapshot.requests) {
        if (each.resource != request.resource || each.isWaiting())
            continue;
        const Session* session = snapshot.session(each.session);
        const QString who = session ? whoIs(session->user, session->host) : QString();
        names << u"session %1"_s.arg(sessionTitle(snapshot, each.session))
                + (who.isEmpty() ? QString() : u", "_s + who);
    }
    return nameList(names, 3);
}

} // namespace

void addState(DetailText& text, const LockTableEntry& entry)
{
    using Verdict = HolderLife::Verdict;
    const Verdict verdict = entry.holderLife.verdict;
    text.title = frameworkLockTitle(entry);
    if (verdict == Verdict::Gone) {
        text.level = AgeLevel::Red;
        text.state += u"; its program is gone"_s;
    } else if (verdict == Verdict::Silent) {
        text.level = AgeLevel::Amber;
        text.state += u"; its program is silent"_s;
    }
    const QString reason = reasonAgainstFreeing(entry);
    static constexpr EnumTable<Verdict> remedies(
        {u"It is unknown whether its program still works: check there before you release it.",
            u"Its program works: let it finish. It gives the lock back by itself.",
            u"Nobody gives it back: release it, or use the framework's own command.",
            u"Its program is silent, which may be its settings: check there before you release it."});
    text.remedy =
        reason.isEmpty() ? remedies[verdict].toString() : u"It can't be released from here. "_s + reason;
}

void addFramework(DetailText& text, const Snapshot& snapshot, const LockTableEntry& entry)
{
    if (!entry.framework || entry.framework->isAttached())
        return;
    Section section{u"Whose lock is this"_s, {}};
    begin(section, *entry.framework);
    section.add(u"Held by"_s, entry.holderText.isEmpty() ? whoHolds(entry) : entry.holderText);
    for (const auto& [label, value] : verdictLines(entry.holderLife))
        section.add(label, value);
    if (entry.heartbeat)
        section.add(u"Sign of life"_s, dateTimeText(*entry.heartbeat));
    section.add(u"Waits for it"_s, queueText(snapshot, entry));
    end(text, section, entry.framework);
}

void addFramework(DetailText& text, const Snapshot& snapshot, const FrameworkRole& role)
{
    if (!role.match)
        return;
    Section section{u"Whose lock is this"_s, {}};
    begin(section, *role.match);
    section.add(u"Held by"_s, holderText(snapshot, *role.request));
    section.add(u"Waits for it"_s, waitersText(snapshot, role.request->resource));
    end(text, section, role.match);
}

} // namespace lockscope::ui

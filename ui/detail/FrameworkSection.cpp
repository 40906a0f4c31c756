// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/detail/FrameworkSection.h"

#include "core/base/Sentences.h"
#include "core/domain/LockTableQueue.h"
#include "core/domain/SessionName.h"
#include "ui/help/FrameworkPages.h"
#include "ui/models/SnapshotNames.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

using Section = DetailText::Section;

void add(Section& section, const QString& label, const QString& value)
{
    if (!value.isEmpty())
        section.lines.append({label, value, {}});
}

void begin(Section& section, const FrameworkMatch& match)
{
    const FrameworkLock* lock = match.lockDefinition;
    add(section, u"Framework"_s,
        match.certain ? match.frameworkName
                      : u"probably %1; another program may use the same lock"_s.arg(match.frameworkName));
    add(section, u"Its name"_s, match.name);
    add(section, u"Known by"_s, match.evidence);
    if (!lock) {
        add(section, u"Meaning"_s, u"No file here tells of this lock."_s);
        return;
    }
    add(section, u"Done under it"_s, lock->purpose);
    add(section, u"Ends"_s, lock->ends);
}

void end(DetailText& text, Section& section, const FrameworkMatchPtr& match)
{
    text.framework = match;
    if (const FrameworkLock* lock = match->lockDefinition) {
        add(section, u"Danger"_s, lock->danger);
        add(section, u"Its own command"_s, lock->vendorCommand);
        add(section, QString(), lock->vendorNote);
        text.vendorCommand = lock->vendorCommand;
        text.vendorNote = lock->vendorNote;
    }
    text.helpPage = frameworkChapter(*match);
    text.sections.prepend(std::move(section));
}

QString queueText(const Snapshot& snapshot, const LockTableEntry& entry)
{
    const auto queue = queueOf(snapshot, {entry.table, entry.name}, snapshot.takenAt);
    return queue.empty()    ? u"not known: who wants it asks again and again, and leaves no trace here"_s
        : queue.size() == 1 ? u"1 program"_s
                            : u"%1 programs"_s.arg(queue.size());
}

/// Those who wait for this very lock.
QString waitersText(const Snapshot& snapshot, quint32 resource)
{
    QStringList names;
    for (const LockRequest& request : snapshot.requests) {
        if (request.resource == resource && request.isWaiting())
            names << sessionTitle(snapshot, request.session);
    }
    return names.isEmpty() ? u"nobody"_s : nameList(names, 5);
}

/// Who has it, told by the session that waits for it or holds it.
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

void tellState(DetailText& text, const LockTableEntry& entry)
{
    const bool isGone = entry.holderLife.state == HolderLife::State::Gone;
    text.title = frameworkLockTitle(entry);
    if (isGone)
        text.level = AgeLevel::Red;
    if (isGone)
        text.state += u"; its program is gone"_s;
    const QString reason = reasonAgainstFreeing(entry);
    text.remedy = !reason.isEmpty() ? u"It can't be released from here. "_s + reason
        : isGone ? u"Nobody gives it back: release it, or use the framework's own command."_s
        : entry.holderLife.state == HolderLife::State::Alive
        ? u"Its program seems to work still: let it finish. It gives the lock back by itself."_s
        : u"Whether its program still works can't be told from here: look before you release it."_s;
}

void addFramework(DetailText& text, const Snapshot& snapshot, const LockTableEntry& entry)
{
    if (!entry.framework || entry.framework->isAttached())
        return;
    Section section{u"Whose lock is this"_s, {}};
    begin(section, *entry.framework);
    add(section, u"Held by"_s, entry.told.isEmpty() ? whoHolds(entry) : entry.told);
    add(section, u"Its program"_s,
        entry.holderLife.reason.isEmpty()
            ? holderLifeName(entry.holderLife.state)
            : holderLifeName(entry.holderLife.state) + u": "_s + entry.holderLife.reason);
    if (entry.heartbeat)
        add(section, u"Sign of life"_s, momentText(*entry.heartbeat));
    add(section, u"Waits for it"_s, queueText(snapshot, entry));
    end(text, section, entry.framework);
}

void addFramework(DetailText& text, const Snapshot& snapshot, const FrameworkRole& role)
{
    if (!role.match)
        return;
    Section section{u"Whose lock is this"_s, {}};
    begin(section, *role.match);
    add(section, u"Held by"_s, holderText(snapshot, *role.request));
    add(section, u"Waits for it"_s, waitersText(snapshot, role.request->resource));
    end(text, section, role.match);
}

} // namespace lockscope::ui

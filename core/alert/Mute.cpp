// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Mute.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"

#include <QDateTime>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

bool isOfFamily(const Incident& incident)
{
    return incident.cause.kind == QStringView(conditionInfo(Condition::NewDeadlockFamily).key);
}

} // namespace

QList<Mute> mutesFor(const Incident& incident)
{
    const Cause& cause = incident.cause;
    QList<Mute> mutes;
    const auto add = [&mutes](Mute::Of of, const QString& value, const QString& shown) {
        Mute mute;
        mute.of = of;
        mute.value = value;
        mute.shown = shown;
        mutes << mute;
    };
    add(Mute::Of::Fingerprint, cause.fingerprint(), incident.title);
    if (isOfFamily(incident) && !cause.resource.isEmpty())
        add(Mute::Of::Family, cause.resource, cause.resource);
    for (const QString& rule : incident.rules())
        add(Mute::Of::Rule, rule, rule);
    if (!cause.program.isEmpty())
        add(Mute::Of::Program, cause.program, cause.program);
    add(Mute::Of::Server, cause.server, cause.server);
    return mutes;
}

QString muteOfName(Mute::Of of)
{
    static constexpr EnumTable<Mute::Of> names({u"fingerprint", u"family", u"rule", u"server", u"program"});
    return names[of].toString();
}

bool isAbout(const Mute& mute, const Incident& incident)
{
    switch (mute.of) {
    case Mute::Of::Fingerprint:
        return mute.value == incident.cause.fingerprint();
    case Mute::Of::Family:
        return mute.value == incident.cause.resource && isOfFamily(incident);
    case Mute::Of::Rule:
        return incident.rules().contains(mute.value);
    case Mute::Of::Server:
        return mute.value.compare(incident.cause.server, Qt::CaseInsensitive) == 0;
    case Mute::Of::Program:
        return !mute.value.isEmpty() && mute.value == incident.cause.program;
    }
    return false;
}

const Mute* muteOf(const QList<Mute>& mutes, const Incident& incident)
{
    const Mute* ofRule = nullptr;
    QStringList heard = incident.rules();
    for (const Mute& mute : mutes) {
        if (mute.ended.isValid() || !isAbout(mute, incident) || !voidedBy(mute, incident).isEmpty())
            continue;
        if (mute.of != Mute::Of::Rule)
            return &mute;
        heard.removeAll(mute.value);
        ofRule = &mute;
    }
    return heard.isEmpty() ? ofRule : nullptr;
}

QString voidedBy(const Mute& mute, const Incident& incident)
{
    if (mute.maxWaiting && incident.waiting > *mute.maxWaiting)
        return u"%1 sessions waited, and the mute was for at most %2"_s.arg(incident.waiting)
            .arg(*mute.maxWaiting);
    if (mute.maxWait && incident.longestWait > *mute.maxWait)
        return u"a session waited for %1, and the mute was for at most %2"_s.arg(
            durationInWords(incident.longestWait), durationInWords(*mute.maxWait));
    return {};
}

QString endText(const Mute& mute)
{
    switch (mute.end) {
    case Mute::End::At:
        return u"until "_s + mute.until.toDateTime().toLocalTime().toString(u"ddd d MMM HH:mm"_s);
    case Mute::End::WhenCleared:
        return u"until it is cleared"_s;
    case Mute::End::Never:
        return u"for ever"_s;
    }
    return {};
}

} // namespace lockscope::alert

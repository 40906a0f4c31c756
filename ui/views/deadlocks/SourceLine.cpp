// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/SourceLine.h"

#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/DateTimeText.h"

#include <QLocale>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString milliText(microseconds time)
{
    return u"%1 ms"_s.arg(double(time.count()) / 1'000, 0, 'f', 1);
}

} // namespace

QString recordsText(const DeadlockRecords& records)
{
    if (!records.latest)
        return u"The server's own records of deadlocks are being looked for."_s;
    if (!*records.latest)
        return u"The server's own records of deadlocks can't be read: %1"_s.arg(
            records.latest->error().toString());
    const deadlock::SourcePoll& poll = **records.latest;
    QStringList parts;
    if (poll.counted)
        parts << (poll.countedIsAtLeast ? u"at least %L1 counted"_s : u"%L1 counted"_s).arg(*poll.counted);
    parts << u"%L1 captured"_s.arg(poll.captured);
    QString text = parts.join(u", "_s);
    if (records.since.isValid())
        text += u" since "_s + shortDateTimeText(records.since);
    text += u" · "_s + (poll.origin.isEmpty() ? u"no source of reports"_s : poll.origin);
    if (records.readFrom.isValid() && !poll.origin.isEmpty())
        text += u", read from %1 on"_s.arg(shortDateTimeText(records.readFrom));
    if (poll.isMoreToRead)
        text += u" · more is being read"_s;
    return (QStringList(text) + poll.limits).join(u'\n');
}

QString recordsCostText(const deadlock::DeadlockWatch::Cost& cost)
{
    return u"%1 polls, %2 failed; %3 read in %4 round trips. The last one took %5, of which %6 on the server; all of them %7."_s
        .arg(cost.polls)
        .arg(cost.failures)
        .arg(QLocale::c().formattedDataSize(cost.bytes))
        .arg(cost.roundTrips)
        .arg(milliText(cost.lastClient), milliText(cost.lastServer), milliText(cost.client));
}

SourceLine::SourceLine(QWidget* parent)
    : QLabel(parent)
{
    setObjectName(u"deadlockSource"_s);
    faint(selectable(wrapped(this), Qt::TextSelectableByMouse));
    hide();
}

void SourceLine::show(const std::optional<DeadlockRecords>& records)
{
    setVisible(records.has_value());
    setText(records ? recordsText(*records) : QString());
    setToolTip(records ? toolTipText(recordsCostText(records->cost)) : QString());
}

} // namespace lockscope::ui

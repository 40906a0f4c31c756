// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/GoToTimeDialog.h"

#include "core/base/ServerTime.h"
#include "core/record/ParseTime.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int fieldWidth = 340;

} // namespace

GoToTimeDialog::GoToTimeDialog(const record::Span& recorded, QWidget* parent)
    : QDialog(parent)
    , m_recorded(recorded)
    , m_text(named("time", new QLineEdit(this)))
    , m_reading(named("reading", wrapped(new QLabel(this))))
{
    setWindowTitle(u"Go to time"_s);
    setChapter(*this, u"time-travel.md"_s);
    auto* label = new QLabel(u"&Time, in UTC as the time bar shows it:"_s, this);
    label->setBuddy(m_text);
    m_text->setPlaceholderText(u"03:12, 03:12:07, yesterday 03:12, 2026-11-22 03:12, -10m"_s);
    m_text->setMinimumWidth(fieldWidth);
    m_reading->setMinimumHeight(2 * m_reading->fontMetrics().lineSpacing()); // what is typed moves no button
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_go = buttons->addButton(u"&Go"_s, QDialogButtonBox::AcceptRole);
    m_go->setDefault(true);
    addAll(*new QVBoxLayout(this), {label, m_text, m_reading, buttons});
    connect(m_text, &QLineEdit::textChanged, this, &GoToTimeDialog::read);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        if (m_time)
            Q_EMIT chosen(*m_time);
        accept();
    });
    read();
}

void GoToTimeDialog::setPurpose(const QString& title, const QString& button, const QString& chapter)
{
    setWindowTitle(title);
    m_go->setText(button);
    setChapter(*this, chapter);
}

void GoToTimeDialog::read()
{
    m_time.reset();
    QString reading;
    if (m_text->text().trimmed().isEmpty()) {
        reading =
            u"Recorded from %1 to %2."_s.arg(dateTimeText(m_recorded.first), dateTimeText(m_recorded.last));
    } else if (const auto time = record::parseTime(m_text->text(), m_recorded.last, record::TimeEnd::Last)) {
        const ServerTime nearest = std::clamp(*time, m_recorded.first, m_recorded.last);
        m_time = nearest;
        if (*time < m_recorded.first)
            reading = u"The recording begins later, at %1: that is shown."_s.arg(dateTimeText(nearest));
        else if (m_recorded.last < *time)
            reading = u"The recording ends before, at %1: that is shown."_s.arg(dateTimeText(nearest));
        else
            reading = dateTimeText(nearest);
    } else {
        reading = time.error().toString();
    }
    m_reading->setText(reading);
    m_go->setEnabled(m_time.has_value());
}

} // namespace lockscope::ui

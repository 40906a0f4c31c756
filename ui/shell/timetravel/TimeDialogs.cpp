// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeDialogs.h"

#include "core/base/ServerTime.h"
#include "core/record/Recording.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"

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

namespace {

constexpr int noteWidth = 380;
constexpr int noteLength = 200; // a mark's tooltip is one line
constexpr milliseconds noteIsTakenUpWithin{3'000};

} // namespace

NoteDialog::NoteDialog(
    const record::RecordingClient& shown, std::optional<ServerTime> at, OwnRecorder recorder, QWidget* parent)
    : QDialog(parent)
    , m_client(shown.place(), shown.of())
    , m_recorder(std::move(recorder))
    , m_at(at)
    , m_text(named("note", new QLineEdit(this)))
    , m_trouble(wrapped(new QLabel(this)))
{
    setObjectName(u"noteDialog"_s);
    setWindowTitle(u"Note"_s);
    setChapter(*this, u"recording.md#notes"_s);
    auto* label =
        new QLabel(at ? u"&Note at %1:"_s.arg(shortDateTimeText(*at)) : u"&Note at this time:"_s, this);
    label->setBuddy(m_text);
    m_text->setPlaceholderText(u"deploy 4.2"_s);
    m_text->setMaxLength(noteLength);
    m_text->setMinimumWidth(noteWidth);
    theme::setInk(m_trouble, theme::colors().red);
    m_trouble->hide();
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_put = buttons->addButton(u"&Add"_s, QDialogButtonBox::ActionRole);
    m_put->setDefault(true);
    m_put->setEnabled(false);
    addAll(*new QVBoxLayout(this), {label, m_text, m_trouble, buttons});
    connect(m_text, &QLineEdit::textChanged, this,
        [this](const QString& text) { m_put->setEnabled(!text.trimmed().isEmpty()); });
    connect(m_put, &QPushButton::clicked, this, &NoteDialog::put);
}

void NoteDialog::tell(const QString& text)
{
    Q_EMIT noted(text.arg(m_at ? shortDateTimeText(*m_at) : u"the present time"_s));
    accept();
}

void NoteDialog::put()
{
    const record::NewNote note{m_text->text(), m_at};
    if (m_recorder && m_recorder(note))
        return tell(u"Noted at %1."_s);
    m_put->setEnabled(false);
    m_text->setEnabled(false);
    m_trouble->hide();
    m_client.ask(
        this,
        [path = m_client.place(), note](
            record::RecordingReader&) { return record::addNote(path, note, noteIsTakenUpWithin); },
        [this](const Result<record::AddedNote>& added) {
            if (!added) {
                m_put->setEnabled(true);
                m_text->setEnabled(true);
                m_trouble->setText(added.error().toString());
                m_trouble->show();
                return;
            }
            m_at = added->event.at;
            tell(added->isRecorded ? u"Noted at %1."_s
                                   : u"Noted at %1. The note is recorded with the next snapshot."_s);
        });
}

} // namespace lockscope::ui

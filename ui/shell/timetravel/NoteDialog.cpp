// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/NoteDialog.h"

#include "ui/kit/help/Chapter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/DateTimeText.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/ClipDialog.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/record/RecordingCopy.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QUuid>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ClipDialog::ClipDialog(const record::RecordingClient& shown, ServerTime from, ServerTime to, QWidget* parent)
    : QDialog(parent)
    , m_client(shown.place(), shown.of())
    , m_from(from)
    , m_to(to)
    , m_redacts(new QCheckBox(u"Leave out the &values that stand in statements"_s, this))
    , m_trouble(wrapped(new QLabel(this)))
{
    setWindowTitle(u"Save a clip"_s);
    setChapter(*this, u"recording.md#clips"_s);
    QLabel* text = wrapped(new QLabel(
        u"The recording from %1 to %2 becomes a file of its own. Names of tables, sessions, programs and locks stay in it."_s
            .arg(dateTimeText(from), dateTimeText(to)),
        this));
    m_redacts->setChecked(true);
    theme::setInk(m_trouble, theme::colors().red);
    m_trouble->hide();
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_save = buttons->addButton(u"&Save as…"_s, QDialogButtonBox::ActionRole);
    addAll(*new QVBoxLayout(this), {text, m_redacts, m_trouble, buttons});
    m_save->setDefault(true);
    connect(m_save, &QPushButton::clicked, this, [this] {
        askWhereToSave(*this, windowTitle(), u"Recording (*.lockscope)"_s,
            u"clip-%1.lockscope"_s.arg(m_from.toIsoString().left(19).remove(u':')),
            [this](const QString& path) { saveTo(path); });
    });
}

void ClipDialog::saveTo(const QString& path)
{
    m_save->setEnabled(false);
    m_save->setText(u"Copying…"_s);
    m_trouble->hide();
    m_client.ask(
        this,
        [from = m_from, to = m_to, path, redacts = m_redacts->isChecked()](record::RecordingReader& reader) {
            record::Identity as = reader.identity();
            as.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
            as.redacted = as.redacted || redacts;
            return record::copyRecordings({&reader}, from, to, path, as);
        },
        [this, path](const Result<record::Copied>& copied) {
            m_save->setEnabled(true);
            m_save->setText(u"&Save as…"_s);
            if (!copied) {
                m_trouble->setText(copied.error().toString());
                m_trouble->show();
                return;
            }
            const QStringList saved{
                u"%1 in %2."_s.arg(counted(copied->snapshotCount, u"snapshot is", u"snapshots are"),
                    inOneLine(QDir::toNativeSeparators(path)))};
            Q_EMIT said((saved + copied->missingParts()).join(u' '));
            accept();
        });
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/RecordingFields.h"

#include "core/base/ShownText.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

RecordingDialog::RecordingDialog(const db::ServerProfile& server,
    const std::optional<RecordingSettings>& recording, const RecordingSettings& ofAll, QWidget* parent,
    db::KeychainPtr keychain)
    : QDialog(parent)
    , m_likeAll(named("recordLikeAll", new QCheckBox(u"As the settings say for all servers"_s, this)))
    , m_fields(new RecordingFields(recording.value_or(ofAll), std::move(keychain), this))
{
    setWindowTitle(u"Recording of %1"_s.arg(inOneLine(server.display())));
    explain(*this, QStringLiteral("recording.md#in-the-window"));
    m_likeAll->setChecked(!recording);
    m_fields->setEnabled(recording.has_value());
    connect(m_likeAll, &QCheckBox::toggled, this, [this, ofAll](bool likeAll) {
        m_fields->setEnabled(!likeAll);
        if (likeAll)
            m_fields->show(ofAll);
    });
    QDialogButtonBox* buttons = acceptButtons(*this);
    addAll(*dialogColumn(*this, 14), {m_likeAll, m_fields, stretch(1), buttons});
    addServerStrip(*this, server);
}

std::optional<HistoryPassword> RecordingDialog::historyPassword() const
{
    return m_likeAll->isChecked() ? std::nullopt : m_fields->historyPassword();
}

std::optional<RecordingSettings> RecordingDialog::recording() const
{
    return m_likeAll->isChecked() ? std::nullopt : std::optional(m_fields->recording());
}

RecordingFields::RecordingFields(
    const RecordingSettings& recording, db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_on(named("record", new QCheckBox(u"Record what is seen, to view it later"_s, this)))
    , m_days(named("recordDays", u"Days that are kept"_s, new QSpinBox(this)))
    , m_megabytes(named("recordMegabytes", u"Size that is kept of each server"_s, new QSpinBox(this)))
    , m_redacts(new QCheckBox(u"Leave out the values that stand in statements"_s, this))
    , m_history(new HistoryFields(u"Also into a team's history"_s, std::move(keychain), this))
{
    m_days->setRange(1, RecordingSettings::maxDays);
    m_megabytes->setRange(RecordingSettings::minMegabytes, RecordingSettings::maxMegabytes);
    m_megabytes->setSingleStep(256);
    m_megabytes->setGroupSeparatorShown(true);
    m_megabytes->setSuffix(u" MB"_s);
    m_redacts->setObjectName(QStringLiteral("recordWithoutValues"));
    m_redacts->setToolTip(
        u"Texts and numbers in statements become ?, comments are left out; names stay. Passwords are never recorded."_s);
    QHBoxLayout* limits = rowOf({new QLabel(u"Keep"_s, this), m_days, new QLabel(u"and at most"_s, this),
        m_megabytes, new QLabel(u"of each server"_s, this), stretch(1)});
    addAll(*withoutMargins(new QVBoxLayout(this)), {m_on, limits, m_redacts, m_history});
    const auto nameUnit = [this] { m_days->setSuffix(m_days->value() == 1 ? u" day"_s : u" days"_s); };
    connect(m_days, &QSpinBox::valueChanged, this, nameUnit);
    connect(m_on, &QCheckBox::toggled, this, &RecordingFields::enable);
    show(recording);
    nameUnit();
}

void RecordingFields::show(const RecordingSettings& recording)
{
    m_on->setChecked(recording.on);
    m_days->setValue(recording.days);
    m_megabytes->setValue(recording.megabytes);
    m_redacts->setChecked(recording.redacts);
    m_historyBefore = recording.history;
    m_history->show(recording.history);
    enable();
}

void RecordingFields::enable()
{
    for (QWidget* field : std::initializer_list<QWidget*>{m_days, m_megabytes, m_redacts, m_history})
        field->setEnabled(m_on->isChecked());
}

RecordingSettings RecordingFields::recording() const
{
    const bool isFit = m_history->text().isEmpty() || m_history->url().has_value();
    return {.on = m_on->isChecked(),
        .days = m_days->value(),
        .megabytes = m_megabytes->value(),
        .redacts = m_redacts->isChecked(),
        .history = isFit ? m_history->text() : m_historyBefore};
}

std::optional<HistoryPassword> RecordingFields::historyPassword() const
{
    return m_on->isChecked() ? m_history->password() : std::nullopt;
}

QList<QWidget*> RecordingFields::inOrder() const
{
    return QList<QWidget*>{m_on, m_days, m_megabytes, m_redacts} + m_history->inOrder();
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/RecordingFields.h"

#include "core/base/ShownText.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

HistoryFields::HistoryFields(const QString& label, db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_url(named("historyUrl", new QLineEdit(this)))
    , m_password(named("historyPassword", u"Password for the history"_s, new QLineEdit(this)))
    , m_keep(named("keepHistoryPassword", new QCheckBox(this)))
    , m_trouble(named("historyTrouble", wrapped(new QLabel(this))))
    , m_place(new PasswordPlace(std::move(keychain), *m_password, *m_keep))
{
    m_url->setPlaceholderText(u"postgresql://user@host/database"_s);
    m_url->setAccessibleName(label);
    m_url->setMinimumWidth(300);
    m_trouble->hide();
    QHBoxLayout* row = rowOf({{m_password, 1}, m_keep});
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(label, m_url);
    form->addRow(u"Its password"_s, row);
    form->addRow(m_trouble);
    connect(m_url, &QLineEdit::textChanged, this, [this] {
        m_place->setSameServer(text() == m_searched);
        m_trouble->hide();
        m_password->setEnabled(!text().isEmpty());
        Q_EMIT changed();
    });
    connect(m_url, &QLineEdit::editingFinished, this, &HistoryFields::checkAddress);
    connect(m_url, &QLineEdit::returnPressed, this, &HistoryFields::entered);
    connect(m_password, &QLineEdit::returnPressed, this, &HistoryFields::entered);
    m_password->setEnabled(false);
}

void HistoryFields::show(const QString& url)
{
    m_url->setText(url);
    m_password->clear();
    checkAddress();
}

/// Says at once what is wrong with it, and asks the keychain for its password.
void HistoryFields::checkAddress()
{
    if (text().isEmpty())
        return;
    const auto address = url();
    m_trouble->setText(address ? QString() : address.error().toString());
    m_trouble->setVisible(!address);
    if (!address || text() == m_searched)
        return;
    m_searched = text();
    m_place->search(address->toString(), false);
}

QString HistoryFields::text() const
{
    return m_url->text().trimmed();
}

Result<db::ServerUrl> HistoryFields::url() const
{
    const auto place = record::HistoryPlace::parse(text());
    if (!place)
        return Failure(place.error());
    if (!place->recording.isEmpty())
        return failure(ErrorKind::BadInput, u"This names a recording, and not a history."_s,
            u"Leave out what follows the '#'."_s);
    return place->server.profile.url;
}

std::optional<HistoryPassword> HistoryFields::password() const
{
    const auto address = url();
    if (!address || m_password->text().isEmpty())
        return std::nullopt;
    return HistoryPassword{address->toString(), m_password->text(), m_place->keeps()};
}

QList<QWidget*> HistoryFields::inOrder() const
{
    return {m_url, m_password, m_keep};
}

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

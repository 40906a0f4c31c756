// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/RecordingDialog.h"

#include "core/base/ShownText.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/settings/RecordingFields.h"

#include <QCheckBox>
#include <QDialogButtonBox>

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

} // namespace lockscope::ui

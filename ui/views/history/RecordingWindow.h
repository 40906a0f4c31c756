// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ShownText.h"
#include "core/record/RecordedLock.h"
#include "core/record/RecordingClient.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDialog>
#include <QPushButton>

namespace lockscope::ui {

/// A window beside the others about a recording, which it reads by a connection of its own: it may outlive
/// the client that it was given. It deletes itself when it is closed.
class RecordingWindow : public QDialog {
    Q_OBJECT

public:
    const record::RecordingClient& client() const { return m_client; }

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    /// Requests the history of a lock or a session.
    void historyRequested(const lockscope::record::BiographySubject& subject, lockscope::ServerTime around);
    void loaded(); ///< an answer is on view

protected:
    RecordingWindow(const record::RecordingClient& shown, const QString& name, const QString& chapter,
        const QSize& size, QWidget* parent)
        : QDialog(parent)
        , m_client(shown.place(), shown.of())
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setObjectName(name);
        explain(*this, chapter);
        resize(size);
    }
    /// Names the server too: the window stays open beside those of other servers.
    void setTitle(const QString& title)
    {
        const QString server = inOneLine(m_client.server());
        setWindowTitle(server.isEmpty() ? title : title + QStringLiteral(" – ") + server);
    }
    QPushButton* closeButton()
    {
        QPushButton* button = pushButton(QStringLiteral("Close"), this);
        connect(button, &QPushButton::clicked, this, &QDialog::close);
        return button;
    }

    record::RecordingClient m_client;
};

} // namespace lockscope::ui

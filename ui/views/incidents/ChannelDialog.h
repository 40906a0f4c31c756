// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/channels/Channel.h"
#include "core/base/Worker.h"
#include "ui/views/incidents/ItemDialog.h"

#include <QObject>

#include <optional>

class QCheckBox;
class QComboBox;

namespace lockscope::ui {

/// Sends test messages on a thread of its own, one at a time; and keeps secrets for it. GUI thread.
class ChannelTester : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// `secret`: written to the place that the settings name first; empty: it is there.
    void send(const alert::ChannelSettings& settings, const QString& secret = {});
    /// Gives up the message that is being sent.
    void stop() { m_worker.cancel(); }
    bool isSending() const { return m_isSending; }
    /// `show(Result<void>)` follows.
    void writeSecret(const QString& reference, const QString& secret,
        const std::function<void(const Result<void>&)>& show);

Q_SIGNALS:
    void started();
    /// `text`: what the receiver said, or why it has not arrived.
    void finished(bool hasArrived, const QString& text);

private:
    bool m_isSending = false;
    Worker m_worker;
};

/// The form of a channel: the fields that its kind has, and a test that is sent as they stand. A secret that
/// is typed goes into a file that only this account can read, never into the rules file.
class ChannelDialog : public ItemDialog {
    Q_OBJECT

public:
    /// Nothing: a new one. `rules`: the names of those that send to it; then it can't be renamed.
    explicit ChannelDialog(const std::optional<alert::ChannelSettings>& channel,
        const QStringList& rules = {}, QWidget* parent = nullptr);

    /// Returns the channel as it stands in the form; else the first thing that is wrong there.
    Result<alert::ChannelSettings> channel() const;
    Result<alert::RuleFileChange> change() const override;

protected:
    void check() override;
    void save() override;

private:
    void addKind();
    void addPlace();
    void addSecret();
    void addTest(QBoxLayout& column);
    void showFields();
    void showTest(const QString& text, const QColor& ink);
    QString secretReference() const;
    bool keepsSecretInFile() const;

    const std::optional<alert::ChannelSettings> m_before;
    QFormLayout* m_form;
    QLineEdit* m_name = nullptr;
    QComboBox* m_kind = nullptr;
    QComboBox* m_formOfBody = nullptr;
    QComboBox* m_mailWay = nullptr;
    QLineEdit* m_url = nullptr;
    QLineEdit* m_from = nullptr;
    QLineEdit* m_to = nullptr;
    QLineEdit* m_command = nullptr;
    QLineEdit* m_user = nullptr;
    QComboBox* m_secretPlace = nullptr;
    QLineEdit* m_secret = nullptr; ///< its reference without "env:" or "file:"
    QLineEdit* m_newSecret = nullptr;
    QComboBox* m_severity = nullptr;
    QCheckBox* m_statements;
    QCheckBox* m_resolved;
    QPushButton* m_test;
    QLabel* m_testAnswer;
    ChannelTester* m_tester;
};

} // namespace lockscope::ui

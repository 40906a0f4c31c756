// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/order/OrderWatch.h"
#include "core/order/PotentialDeadlock.h"
#include "ui/views/page/TablePage.h"

#include <QSet>
#include <QWidget>

#include <optional>

class QCheckBox;
class QLabel;

namespace lockscope::record {
class RecordedOrder;
}

namespace lockscope::ui {

class OrderView;
class ReportModel;

/// Opposite orders drawn: the locks beside each other, and a line for each order, from the lock that was
/// taken first to the one that was taken after it.
class OrderPicture : public QWidget {
    Q_OBJECT

public:
    explicit OrderPicture(QWidget* parent = nullptr);

    void show(const std::optional<order::PotentialDeadlock>& found);
    QSize sizeHint() const override { return minimumSizeHint() + QSize(200, 0); }
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int rowHeight() const { return fontMetrics().height() * 5 / 2; }

    std::optional<order::PotentialDeadlock> m_found;
};

/// "lock-order": locks that sessions of the server on view took in opposite orders since it is watched; at a
/// past time, those in its recording of the hour before.
class OrderPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("lock-order"), QStringLiteral("Lock order")};

    explicit OrderPage(AppContext& context, QWidget* parent = nullptr);

    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    bool hasDetail() const override { return false; }
    bool needsServer() const override { return !m_state && !m_failure; }

    /// Shows the known order; also for tests.
    void showState(const order::OrderStatePtr& state);

    static constexpr microseconds pastRead{3'600'000'000}; ///< before the time on view

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    EmptyText emptyText() const override;
    void updateActs() override;
    void fillRowMenu(QMenu& menu) override;
    void showEvent(QShowEvent* event) override;

private:
    void forgetServer();
    void showPresent();
    void askRecording();
    void toggleMuted();
    void takeMuted(const Result<QSet<QString>>& ids);
    void showList();
    void showChosen();
    const order::PotentialDeadlock* chosen() const; ///< null: none is

    QMetaObject::Connection m_watched; ///< to the signals of the server on view
    ReportModel* m_model;
    OrderView* m_order;
    QPushButton* m_mute = nullptr;
    QCheckBox* m_showsAll;
    QLabel* m_followed; ///< how many transactions were too short
    order::OrderStatePtr m_state;
    QSet<QString> m_muted;
    std::optional<Error> m_failure; ///< of the recording
    std::shared_ptr<record::RecordedOrder> m_recorded; ///< of the recording's thread
    record::RecordingClient* m_askedOf = nullptr;
    std::optional<ServerTime> m_asked; ///< the time that is being read
    quint64 m_question = 0;
    Worker m_files;
};

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timetravel/RecoverDialog.h"

#include "ui/help/Chapter.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/SaveDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <atomic>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds lookEvery{100};
constexpr int wholeBar = 1'000;

QString told(const QString& path, const record::Salvaged& salvaged)
{
    QString text =
        u"%1 moments of %2 are whole; they are in %3."_s.arg(QString::number(salvaged.copied.moments),
            salvaged.stretches == 1 ? u"1 stretch"_s : u"%1 stretches"_s.arg(salvaged.stretches),
            QDir::toNativeSeparators(path));
    if (salvaged.unread.isEmpty())
        return text;
    const record::Unread& first = salvaged.unread.front();
    const record::Unread& last = salvaged.unread.back();
    text += salvaged.unread.size() == 1 ? u" One stretch could not be read"_s
                                        : u" %1 stretches could not be read"_s.arg(salvaged.unread.size());
    if (first.from.isValid())
        text += u", from %1 on"_s.arg(first.from.toIsoString().left(19) + u'Z');
    if (last.to.isValid())
        text += u", up to %1"_s.arg(last.to.toIsoString().left(19) + u'Z');
    return text + u". They are gaps in it."_s;
}

} // namespace

struct RecoverDialog::Progress { // of both threads
    std::atomic<qint64> done{0};
    std::atomic<qint64> all{0};
};

RecoverDialog::RecoverDialog(const QString& damaged, QWidget* parent)
    : QDialog(parent)
    , m_damaged(damaged)
    , m_text(new QLabel(this))
    , m_trouble(new QLabel(this))
    , m_bar(new QProgressBar(this))
    , m_progress(std::make_shared<Progress>())
{
    setWindowTitle(u"Recover a recording"_s);
    setChapter(*this, u"recording.md#a-damaged-file"_s);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setText(u"What is whole of %1 becomes a new recording. The damaged file stays as it is. What "
                    u"can't be read is a "
                    "gap in the new one."_s.arg(QDir::toNativeSeparators(damaged)));
    m_trouble->setTextFormat(Qt::PlainText);
    m_trouble->setWordWrap(true);
    theme::setInk(m_trouble, theme::colors().red);
    m_trouble->hide();
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(u"How much is copied"_s);
    m_bar->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(u"&Save as…"_s, QDialogButtonBox::ActionRole);
    auto* all = new QVBoxLayout(this);
    all->addWidget(m_text);
    all->addWidget(m_bar);
    all->addWidget(m_trouble);
    all->addWidget(buttons);
    m_save->setDefault(true);
    m_timer.setInterval(lookEvery);
    connect(&m_timer, &QTimer::timeout, this, &RecoverDialog::showProgress);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (!m_made.isEmpty()) {
            Q_EMIT openRequested(m_made);
            accept();
            return;
        }
        const QFileInfo file(m_damaged);
        askWhereToSave(*this, windowTitle(), u"Recording (*.lockscope)"_s,
            u"%1-recovered.lockscope"_s.arg(file.completeBaseName()),
            [this](const QString& path) { saveTo(path); });
    });
    // What is under way ends with the dialog, also where that is only hidden.
    connect(this, &QDialog::finished, this, [this] { m_worker.cancel(); });
}

void RecoverDialog::saveTo(const QString& path)
{
    m_save->setEnabled(false);
    m_trouble->hide();
    m_progress->done = 0;
    m_progress->all = 0;
    m_bar->show();
    showProgress();
    m_timer.start();
    m_worker.ask(
        this,
        [damaged = m_damaged, path, progress = m_progress](const std::stop_token& stop) {
            return record::salvageRecording(damaged, path,
                u"lockscope "_s + QStringLiteral(LOCKSCOPE_VERSION), [&](qint64 done, qint64 all) {
                    progress->done = done;
                    progress->all = all;
                    return !stop.stop_requested();
                });
        },
        [this, path](const Result<record::Salvaged>& salvaged) { tell(path, salvaged); });
}

/// Nobody knows how much there is until it was looked through.
void RecoverDialog::showProgress()
{
    const qint64 all = m_progress->all;
    m_bar->setRange(0, all == 0 ? 0 : wholeBar);
    if (all > 0)
        m_bar->setValue(static_cast<int>(m_progress->done * wholeBar / all));
}

void RecoverDialog::tell(const QString& path, const Result<record::Salvaged>& salvaged)
{
    m_timer.stop();
    m_bar->hide();
    m_save->setEnabled(true);
    if (!salvaged) {
        m_trouble->setText(salvaged.error().toString());
        m_trouble->show();
        return;
    }
    m_made = path;
    m_text->setText(told(path, *salvaged));
    m_save->setText(u"&Open it"_s);
    m_save->setFocus();
}

QString RecoverDialog::text() const
{
    return m_text->text() + (m_trouble->isHidden() ? QString() : u'\n' + m_trouble->text());
}

} // namespace lockscope::ui

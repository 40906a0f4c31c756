// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/SaveDialog.h"

#include "core/base/BackgroundThread.h"
#include "core/base/PostToThread.h"
#include "core/base/WriteFile.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QThread>
#include <QTimer>

#include <atomic>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

std::atomic<int>& writing()
{
    static std::atomic<int> files = 0;
    return files;
}

} // namespace

void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen)
{
    auto* dialog = deletedOnClose(new QFileDialog(&parent, title, {}, filter));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QFileInfo(fileName).suffix());
    dialog->selectFile(fileName);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

void writeLater(QObject& context, const QString& path, const std::function<Result<QByteArray>()>& content,
    const QString& done, const std::function<void(const QString&)>& tell)
{
    auto* slow = new QTimer(&context);
    slow->setSingleShot(true);
    QObject::connect(slow, &QTimer::timeout, &context,
        [tell, path] { tell(u"Writing %1…"_s.arg(QDir::toNativeSeparators(path))); });
    slow->start(1s);
    // Let go at once: on a thread of the pool, a disk that hangs would keep the program from ending.
    ++writing();
    const BackgroundThread writer(
        [to = QPointer(&context), path, content, done, tell, slow](const std::stop_token&) {
            const auto made = content();
            const Result<void> written = made ? writeFile(path, *made) : Failure(made.error());
            --writing();
            postTo(to, [slow, tell, text = written ? done : written.error().toString()](QObject&) {
                delete slow; // a child of the context, which lives
                tell(text);
            });
        });
}

void waitForWriting(std::chrono::milliseconds atMost)
{
    for (const QDeadlineTimer end(atMost); writing() > 0 && !end.hasExpired();)
        QThread::msleep(10);
}

void writeLater(QObject& context, const QString& path, const QByteArray& content, const QString& done,
    const std::function<void(const QString&)>& tell)
{
    writeLater(
        context, path, [content]() -> Result<QByteArray> { return content; }, done, tell);
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/SaveDialog.h"

#include "core/base/BackgroundThread.h"
#include "core/base/PostToThread.h"
#include "core/base/WriteFile.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

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
    const BackgroundThread writer(
        [to = QPointer(&context), path, content, done, tell, slow](const std::stop_token&) {
            const auto made = content();
            const Result<void> written = made ? writeFile(path, *made) : Failure(made.error());
            postTo(to, [slow, tell, text = written ? done : written.error().toString()](QObject&) {
                delete slow; // a child of the context, which lives
                tell(text);
            });
        });
}

void writeLater(QObject& context, const QString& path, const QByteArray& content, const QString& done,
    const std::function<void(const QString&)>& tell)
{
    writeLater(
        context, path, [content]() -> Result<QByteArray> { return content; }, done, tell);
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ReadTableQuestion.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/widgets/ServerStrip.h"

#include <QMessageBox>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void askToRead(const UnreadTable& table, const db::ServerProfile& profile, QWidget& window,
    const std::function<void()>& agreed)
{
    const QString whose = table.framework ? table.framework->badge() : u"a framework"_s;
    auto* question = new QMessageBox(QMessageBox::Question, u"Read a table of somebody else"_s,
        u"Read %1 on %2?"_s.arg(inOneLine(table.display()), inOneLine(markedName(profile))),
        QMessageBox::NoButton, &window);
    question->setObjectName(QStringLiteral("readTable"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setTextFormat(Qt::PlainText);
    question->setInformativeText(sentences({u"It looks like the lock table of %1 and belongs to %2"_s.arg(
                                                inOneLine(whose), inOneLine(table.owner)),
                                     inOneLine(table.reason)})
        + u"\n\nWhoever owns a table can have their own code run when somebody reads it (policies of rows, "
          "functions of a view), with the rights of the reader: here with those of your log-in. Read it only "
          "if "
          "you trust %1 with them.\n\nThe permission is for this table as long as it belongs to %1. It is "
          "kept "
          "with this server, and the connection is made anew with it."_s.arg(inOneLine(table.owner)));
    QPushButton* read = question->addButton(u"Read it"_s, QMessageBox::AcceptRole);
    question->setDefaultButton(question->addButton(QMessageBox::Cancel));
    QObject::connect(read, &QPushButton::clicked, &window, agreed);
    question->open();
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locktable/ReadTableQuestion.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/ServerStrip.h"

#include <QMessageBox>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void askToRead(const UnreadTable& table, const db::ServerProfile& profile, QWidget& window,
    const std::function<void()>& agreed)
{
    const QString whose = table.framework ? table.framework->badge() : u"a framework"_s;
    auto* question = new QMessageBox(QMessageBox::Question, u"Read a table"_s,
        u"Read %1 on %2?"_s.arg(inOneLine(table.display()), inOneLine(markedName(profile))),
        QMessageBox::NoButton, &window);
    question->setObjectName(QStringLiteral("readTable"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setTextFormat(Qt::PlainText);
    // A file has no owners.
    const bool isOwned = !table.owner.isEmpty();
    const QString looks = u"It looks like the lock table of "_s + inOneLine(whose);
    question->setInformativeText(
        sentences({isOwned ? looks + u" and belongs to "_s + inOneLine(table.owner) : looks,
            inOneLine(table.reason)})
        + u"\n\nAllow it only if that does no harm here. Its rows that are locks are then read with each poll, with the rights of your login, while somebody looks at locks.\n\n%1 It is kept with this server, and the connection is made again with it."_s
              .arg(isOwned ? u"The permission is for this table as long as it belongs to %1."_s.arg(
                       inOneLine(table.owner))
                           : u"The permission is for the table of this name."_s));
    QPushButton* read = question->addButton(u"Read it"_s, QMessageBox::AcceptRole);
    question->setDefaultButton(question->addButton(QMessageBox::Cancel));
    QObject::connect(read, &QPushButton::clicked, &window, agreed);
    question->open();
}

} // namespace lockscope::ui

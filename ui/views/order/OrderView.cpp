// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/OrderView.h"

#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/report/Report.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/order/OrderPicture.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

void addWitnessFact(QStringList& lines, const QString& name, const QString& value)
{
    if (!value.isEmpty())
        lines << u"%1: %2"_s.arg(name, value);
}

} // namespace

QString witnessText(const order::Leg& leg)
{
    const order::Witness& witness = leg.witness;
    QStringList lines{u"%1, then %2"_s.arg(leg.first, leg.second), legText(leg), QString()};
    addWitnessFact(lines, u"Known by"_s, evidenceName(witness.evidence));
    addWitnessFact(lines, u"Seen"_s,
        leg.count == 1 ? u"once, %1"_s.arg(dateTimeText(witness.at))
                       : u"%1 times from %2 to %3"_s.arg(leg.count).arg(
                           dateTimeText(leg.seenFirst), dateTimeText(leg.seenLast)));
    addWitnessFact(
        lines, u"Modes"_s, u"%1, then %2"_s.arg(witness.first.mode.name(), witness.second.mode.name()));
    addWitnessFact(lines, u"User"_s, witness.user);
    addWitnessFact(lines, u"Program"_s, witness.program);
    addWitnessFact(lines, u"Host"_s, witness.host);
    addWitnessFact(lines, witness.evidence == order::Evidence::Waiting ? u"Statement"_s : u"Statement then"_s,
        witness.statement.trimmed());
    return lines.join(u'\n');
}

OrderView::OrderView(QWidget* parent)
    : QWidget(parent)
    , m_meaning(named("orderMeaning", wrapped(new QLabel(this))))
    , m_picture(new OrderPicture)
    , m_row(new QHBoxLayout)
{
    setObjectName(u"orderView"_s);
    m_meaning->setContentsMargins(10, 6, 10, 0);
    auto* column = withoutMargins(new QVBoxLayout(this), 4);
    addAll(*column, {m_meaning, m_picture});
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(1);
    column->addLayout(m_row, 1);
    show(std::nullopt);
}

void OrderView::show(const std::optional<order::PotentialDeadlock>& found)
{
    m_meaning->setText(found ? inLines(explanation(*found)) : QString());
    m_picture->show(found);
    const qsizetype count = found ? qsizetype(found->legs.size()) : 0;
    while (m_witnesses.size() < count) {
        auto* text = new QPlainTextEdit(this);
        text->setReadOnly(true);
        text->setFrameShape(QFrame::NoFrame);
        text->setTabChangesFocus(true);
        m_row->addWidget(text, 1);
        m_witnesses << text;
        text->setObjectName(u"witness%1"_s.arg(m_witnesses.size()));
        text->setAccessibleName(u"Witness %1"_s.arg(m_witnesses.size()));
    }
    for (qsizetype i = 0; i < m_witnesses.size(); ++i) {
        m_witnesses[i]->setVisible(i < count);
        const QString text = i < count ? inLines(witnessText(found->legs[std::size_t(i)])) : QString();
        if (m_witnesses[i]->toPlainText() != text) // or the cursor and what is selected would go
            m_witnesses[i]->setPlainText(text);
    }
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/ConnectionTest.h"

#include "core/base/PostToThread.h"
#include "core/monitor/ServerCheck.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/HtmlText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/FieldTexts.h"

#include <QLabel>
#include <QPointer>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using Outcome = db::CheckStep::Outcome;

namespace {

std::pair<QString, QColor> signOf(Outcome outcome, const ThemeColors& colors)
{
    switch (outcome) {
    case Outcome::Good:
        return {u"✓"_s, colors.ok};
    case Outcome::Note:
        return {u"!"_s, colors.amber};
    case Outcome::Failed:
        break;
    }
    return {u"✗"_s, colors.red};
}

} // namespace

ConnectionTest::ConnectionTest(QWidget* parent)
    : QScrollArea(parent)
    , m_text(named("testReport", selectable(new QLabel, Qt::TextSelectableByMouse)))
{
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setWidget(m_text);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize ConnectionTest::sizeHint() const
{
    return {QScrollArea::sizeHint().width(), maximumHeight()};
}

void ConnectionTest::fitHeight(int width)
{
    constexpr int maxLines = 14;
    const int space = width - verticalScrollBar()->sizeHint().width();
    const int report = m_text->text().isEmpty() ? 0 : m_text->heightForWidth(space);
    setVisible(report > 0);
    setFixedHeight(std::min(report, maxLines * fontMetrics().lineSpacing()));
}

void ConnectionTest::shrinkBy(int pixels)
{
    constexpr int minLines = 3;
    if (!isHidden())
        setFixedHeight(std::max(maximumHeight() - pixels, minLines * fontMetrics().lineSpacing()));
}

QString ConnectionTest::report() const
{
    return m_text->text();
}

void ConnectionTest::start(const db::Server& server)
{
    clear();
    m_running = true;
    Q_EMIT runningChanged();
    m_worker.ask(
        this,
        [test = QPointer(this), generation = m_generation, server](const std::stop_token& stop) {
            const auto show = [&](const db::CheckStep& step) {
                QString text = u"%1: %2"_s.arg(step.name, step.finding);
                if (!step.remedy.isEmpty())
                    text += QStringLiteral(" → ") + step.remedy;
                text = inFieldWords(text);
                postTo(test, [generation, text, outcome = step.outcome](ConnectionTest& to) {
                    if (generation == to.m_generation)
                        to.showStep(text, outcome);
                });
            };
            return monitor::checkServer(server, show, stop);
        },
        [this, generation = m_generation](bool good) {
            if (generation == m_generation)
                finish(good);
        });
}

void ConnectionTest::stop()
{
    m_worker.cancel();
    ++m_generation;
    showStep(u"Stopped."_s, Outcome::Failed);
    finish(false);
}

void ConnectionTest::refuse(const QString& why)
{
    clear();
    showStep(why, Outcome::Failed);
    finish(false);
}

void ConnectionTest::forget()
{
    clear();
    m_running = false;
    Q_EMIT runningChanged();
    Q_EMIT reportChanged();
}

void ConnectionTest::clear()
{
    m_worker.cancel();
    ++m_generation;
    m_steps.clear();
    m_text->clear();
}

void ConnectionTest::showStep(const QString& text, Outcome outcome)
{
    const auto [sign, color] = signOf(outcome, theme::colors(palette()));
    m_steps
        << QStringLiteral("<b style='color:%1'>%2</b> %3").arg(color.name(), sign, htmlText(inOneLine(text)));
    m_text->setText(m_steps.join(QStringLiteral("<br>")));
    Q_EMIT reportChanged();
}

void ConnectionTest::finish(bool good)
{
    m_running = false;
    Q_EMIT runningChanged();
    Q_EMIT finished(good);
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/VerdictBanner.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

struct Parts {
    QString headline;
    QString words;
};

/// The verdict is one sentence and why; its first part is what the eye needs.
Parts partsOf(const QString& verdict, bool isBroken)
{
    const QString end = isBroken ? QStringLiteral(". ") : QStringLiteral(": ");
    const qsizetype at = verdict.indexOf(end);
    if (at < 0)
        return {verdict, {}};
    QString words = verdict.mid(at + 2);
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return {verdict.left(at), words};
}

QLabel* bannerLabel(QWidget* parent, double size, QFont::Weight weight)
{
    QLabel* label = selectable(wrapped(new QLabel(parent)));
    label->setFont(theme::scaled(size, weight));
    return label;
}

} // namespace

VerdictBanner::VerdictBanner(QWidget* parent)
    : QFrame(parent)
    , m_sign(new QLabel(this))
    , m_headline(named("verdictHeadline", bannerLabel(this, 1.9, QFont::Bold)))
    , m_words(named("verdictWords", bannerLabel(this, 1.05, QFont::Normal)))
    , m_figures(named("verdictFigures", faint(bannerLabel(this, 0.92, QFont::Normal))))
{
    setObjectName(QStringLiteral("verdict"));
    m_sign->setFont(theme::scaled(2.2, QFont::Bold));
    m_sign->setAlignment(Qt::AlignTop);
    QVBoxLayout* column = withSpacing(columnOf({m_headline, m_words, m_figures}), 2);
    addAll(*withMargins(new QHBoxLayout(this), {14, 8, 14, 9}, 12), {m_sign, {column, 1}});
    hide();
    theme::whenRecolored(*this, [this] { applyColors(); });
}

void VerdictBanner::show(const scenario::RunReport& report, const QString& figures)
{
    const Parts parts = partsOf(report.verdict, report.violations.isBroken());
    QString words = parts.words;
    if (!report.violations.sawAll)
        words +=
            QLatin1Char(' ') + u"The event log was full: the last events were counted, but not checked."_s;
    tell(verdictKind(report), parts.headline, words, figures);
}

void VerdictBanner::showComparison(const std::vector<RunReportPtr>& reports)
{
    const ComparisonText text = comparisonText(reports);
    tell(text.kind, text.headline, text.words, text.figures);
}

void VerdictBanner::tell(
    VerdictKind kind, const QString& headline, const QString& words, const QString& figures)
{
    m_kind = kind;
    m_headline->setText(headline);
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    m_figures->setText(figures);
    m_sign->setText(appearance().sign);
    setAccessibleName(text());
    applyColors();
    update();
}

void VerdictBanner::setMagnification(double factor)
{
    m_factor = factor;
    applyFonts();
}

void VerdictBanner::clear()
{
    m_headline->clear();
    m_words->clear();
    m_figures->clear();
    hide();
}

bool VerdictBanner::hasVerdict() const
{
    return !text().trimmed().isEmpty();
}

QString VerdictBanner::text() const
{
    return QStringList{m_headline->text(), m_words->text(), m_figures->text()}.join(QLatin1Char('\n'));
}

VerdictBanner::Appearance VerdictBanner::appearance() const
{
    const ThemeColors& colors = theme::colors(palette());
    switch (m_kind) {
    case VerdictKind::Broken:
        return {u"✖"_s, colors.red, colors.redFill};
    case VerdictKind::NotObserved:
        return {u"?"_s, colors.amber, colors.amberFill};
    case VerdictKind::Held:
        break;
    }
    return {u"✔"_s, colors.ok, colors.okFill};
}

void VerdictBanner::applyColors()
{
    theme::setInk(m_sign, appearance().ink);
    theme::setInk(m_headline, appearance().ink);
}

void VerdictBanner::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    applyFonts();
}

/// In a narrow window it leaves space for the parts below.
void VerdictBanner::applyFonts()
{
    constexpr int narrow = 720;
    const bool isNarrow = width() < narrow * m_factor;
    m_headline->setFont(theme::scaled((isNarrow ? 1.35 : 1.9) * m_factor, QFont::Bold));
    m_sign->setFont(theme::scaled((isNarrow ? 1.6 : 2.2) * m_factor, QFont::Bold));
    m_words->setFont(theme::scaled(1.05 * m_factor));
    m_figures->setFont(theme::scaled(0.92 * m_factor));
}

void VerdictBanner::paintEvent(QPaintEvent*)
{
    theme::paintCard(*this, appearance().ink, appearance().fill);
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/OrderForm.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/ScenarioList.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QStyleOptionButton>
#include <QToolButton>
#include <QWheelEvent>

#include <limits>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Progress;

namespace {

constexpr int editorWidth = 108;
constexpr int fieldRows = 5; ///< those that every scenario has are the first column
constexpr int narrow = 760; ///< pixels, below which variants and fields don't fit beside each other
constexpr int always = 2; ///< fields of the pace that are shown there, too

/// The wheel scrolls the page; it must not change a number in passing.
template <class Box> class CalmBox : public Box {
public:
    using Box::Box;

protected:
    void wheelEvent(QWheelEvent* event) override
    {
        if (this->hasFocus())
            Box::wheelEvent(event);
        else
            event->ignore();
    }
};

template <class Box, class Number> Box* numberBox(QWidget* parent, Number least, Number maximum, Number value)
{
    auto* box = new CalmBox<Box>(parent);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setRange(least, maximum);
    box->setValue(value);
    box->setGroupSeparatorShown(true);
    box->setFixedWidth(editorWidth);
    return box;
}

/// Gives way where there is little space, and says so.
class VariantChoice : public QRadioButton {
public:
    VariantChoice(const QString& text, QWidget* parent)
        : QRadioButton(text, parent)
        , m_full(text)
    {
        setAccessibleName(text);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QRadioButton::resizeEvent(event);
        QStyleOptionButton option;
        initStyleOption(&option);
        const int space = style()->subElementRect(QStyle::SE_RadioButtonContents, &option, this).width();
        setText(fontMetrics().elidedText(m_full, Qt::ElideRight, space));
    }

private:
    const QString m_full;
};

} // namespace

OrderForm::OrderForm(QWidget* parent)
    : QWidget(parent)
    , m_variantColumn(new QVBoxLayout)
    , m_meaning(named("variantMeaning", faint(wrapped(new QLabel(this)))))
    , m_fields(new QGridLayout)
    , m_sessions(named("sessions", numberBox<QSpinBox>(this, 1, 200, 4)))
    , m_duration(named("duration", numberBox<QDoubleSpinBox>(this, 0.2, 3'600.0, 5.0)))
    , m_think(numberBox<QSpinBox>(this, 0, 60'000, 0))
    , m_rate(numberBox<QSpinBox>(this, 0, 10'000, 0))
    , m_seed(numberBox<QSpinBox>(this, 0, std::numeric_limits<int>::max(), 1))
    , m_processes(named("processes", new QCheckBox(u"Each session is a &process"_s, this)))
    , m_halves(new QBoxLayout(QBoxLayout::LeftToRight, this))
    , m_more(named("moreFields", new QToolButton(this)))
{
    m_duration->setDecimals(1);
    m_duration->setSuffix(u" s"_s);
    m_think->setSuffix(u" ms"_s);
    m_think->setSingleStep(5);
    m_rate->setSuffix(u" /s"_s);
    m_rate->setSpecialValueText(u"no limit"_s);
    m_seed->setGroupSeparatorShown(false);

    QVBoxLayout* left = withSpacing(columnOf({m_variantColumn, m_meaning, stretch(1)}), 4);
    QVBoxLayout* right = columnOf({m_fields, stretch(1)});
    m_halves->setContentsMargins(0, 0, 0, 0);
    m_halves->setSpacing(20);
    m_halves->addLayout(left, 1);
    m_halves->addLayout(right);
    m_variantColumn->setSpacing(3);
    m_fields->setHorizontalSpacing(8);
    m_fields->setVerticalSpacing(3);

    m_pace = {
        makeField(u"&Sessions"_s, m_sessions, u"The number of sessions, each with its own connection"_s),
        makeField(u"&Duration"_s, m_duration, u"The time that they run"_s),
        makeField(u"Th&ink time"_s, m_think, u"Pause of each session between its rounds"_s),
        makeField(u"R&ate"_s, m_rate, u"At most so many rounds a second of each session"_s),
        makeField(u"S&eed"_s, m_seed, u"The same seed draws the same numbers again"_s)};
    m_more->setText(u"&More…"_s);
    m_more->setToolTip(u"Think time, rate, seed, and sessions as processes"_s);
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    connect(m_more, &QToolButton::toggled, this, &OrderForm::arrange);
    for (QSpinBox* box : {m_sessions, m_think, m_rate, m_seed})
        connect(box, &QSpinBox::valueChanged, this, &OrderForm::changed);
    connect(m_duration, &QDoubleSpinBox::valueChanged, this, &OrderForm::changed);
    m_processes->setToolTip(
        u"A program of its own instead of a thread: it starts later, and when the scenario lets it crash, it is gone"_s);
    connect(m_processes, &QCheckBox::toggled, this, &OrderForm::changed);
    arrange();
    theme::whenRecolored(*this, [this] {
        if (m_scenario)
            colorVariants();
    });
}

OrderForm::Field OrderForm::makeField(const QString& name, QWidget* editor, const QString& tip)
{
    auto* label = plain(new QLabel(this));
    label->setText(name);
    label->setBuddy(editor);
    label->setToolTip(tip);
    editor->setToolTip(tip);
    editor->setAccessibleName(QString(name).remove(QLatin1Char('&')));
    editor->setAccessibleDescription(tip);
    return {label, editor};
}

void OrderForm::place(const Field& field, int row, int column)
{
    m_fields->addWidget(field.label, row, column * 2);
    m_fields->addWidget(field.editor, row, column * 2 + 1);
}

void OrderForm::arrange()
{
    const bool hasAll = !m_isNarrow || m_more->isChecked();
    m_halves->setDirection(m_isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_halves->setSpacing(m_isNarrow ? 6 : 20);
    m_more->setVisible(m_isNarrow);
    m_processes->setVisible(hasAll);
    for (qsizetype i = always; i < m_pace.size(); ++i) {
        m_pace[i].label->setVisible(hasAll);
        m_pace[i].editor->setVisible(hasAll);
    }
    while (QLayoutItem* item = m_fields->takeAt(0))
        delete item;
    if (!m_isNarrow) {
        for (int i = 0; i < m_pace.size(); ++i)
            place(m_pace[i], i, 0);
        m_fields->addWidget(m_processes, fieldRows, 0, 1, 2);
        for (int i = 0; i < m_parameterFields.size(); ++i)
            place(m_parameterFields[i], i % fieldRows, 1 + i / fieldRows);
        return;
    }
    // Line by line, two beside each other.
    const QList<Field> shown =
        m_pace.mid(0, always) + m_parameterFields + (hasAll ? m_pace.mid(always) : QList<Field>());
    for (int i = 0; i < shown.size(); ++i)
        place(shown[i], i / 2, i % 2);
    const int last = static_cast<int>(shown.size() + 1) / 2;
    if (hasAll)
        m_fields->addWidget(m_processes, last, 0, 1, 2);
    m_fields->addWidget(m_more, hasAll ? last : 0, hasAll ? 2 : 4);
}

void OrderForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (const bool isNarrow = width() < narrow; isNarrow != m_isNarrow) {
        m_isNarrow = isNarrow;
        arrange();
    }
}

void OrderForm::setScenario(const scenario::ScenarioPtr& scenario)
{
    m_scenario = scenario;
    makeVariants();
    makeParameters();
    if (scenario) {
        m_sessions->setRange(scenario->leastSessions, scenario->maxSessions);
        m_sessions->setValue(scenario->sessions);
        m_sessions->setToolTip(
            u"%1 to %2 sessions, each with a connection of its own"_s.arg(scenario->leastSessions)
                .arg(scenario->maxSessions));
        m_duration->setValue(double(scenario->duration.count()) / 1'000);
        m_think->setValue(0);
        m_rate->setValue(0);
    }
    setEngine(m_engine);
    Q_EMIT changed();
}

void OrderForm::makeVariants()
{
    if (m_variants) {
        qDeleteAll(m_variants->buttons());
        delete m_variants;
    }
    m_variants = new QButtonGroup(this);
    if (!m_scenario)
        return;
    for (const scenario::Variant& variant : m_scenario->variants) {
        const int index = static_cast<int>(m_variants->buttons().size());
        auto* button = new VariantChoice(variantLabel(variant), this);
        button->setObjectName(QStringLiteral("variant-") + variant.id);
        if (variant.isUnsafe)
            button->setFont(theme::scaled(1.0, QFont::DemiBold));
        m_variants->addButton(button, index);
        m_variantColumn->addWidget(button);
    }
    colorVariants();
    connect(m_variants, &QButtonGroup::idToggled, this, [this](int, bool checked) {
        if (!checked)
            return;
        showMeaning();
        Q_EMIT changed();
    });
}

void OrderForm::colorVariants()
{
    for (QAbstractButton* button : m_variants->buttons()) {
        if (!m_scenario->variants[static_cast<std::size_t>(m_variants->id(button))].isUnsafe)
            continue;
        QPalette ink = palette();
        ink.setColor(QPalette::Active, QPalette::WindowText, theme::colors().amber);
        ink.setColor(QPalette::Inactive, QPalette::WindowText, theme::colors().amber);
        button->setPalette(ink);
    }
}

void OrderForm::makeParameters()
{
    for (const Field& each : std::as_const(m_parameterFields)) {
        delete each.label;
        delete each.editor;
    }
    m_parameterFields.clear();
    m_parameters.clear();
    if (!m_scenario)
        return arrange();
    for (const scenario::Parameter& parameter : m_scenario->parameters) {
        QWidget* editor = nullptr;
        QString tip = parameter.meaning;
        if (parameter.type == scenario::Parameter::Type::Number) {
            constexpr qint64 largest = std::numeric_limits<int>::max();
            auto* box = numberBox<QSpinBox>(this, int(std::max(parameter.least, -largest)),
                int(std::min(parameter.maximum, largest)),
                int(std::clamp(parameter.byDefault, -largest, largest)));
            if (!parameter.unit.isEmpty())
                box->setSuffix(QLatin1Char(' ') + parameter.unit);
            connect(box, &QSpinBox::valueChanged, this, &OrderForm::changed);
            tip += u": %L1 to %L2"_s.arg(parameter.least).arg(parameter.maximum);
            editor = box;
        } else {
            auto* line = new QLineEdit(parameter.identifier, this);
            line->setFixedWidth(editorWidth);
            line->setValidator(new QRegularExpressionValidator(
                QRegularExpression(QStringLiteral("[A-Za-z_][A-Za-z0-9_]{0,62}")), line));
            tip += u": letters, digits and _"_s;
            connect(line, &QLineEdit::textChanged, this, &OrderForm::changed);
            editor = line;
        }
        editor->setObjectName(QStringLiteral("parameter-") + parameter.name);
        m_parameterFields << makeField(
            QString(parameter.label).replace(QLatin1Char('&'), QStringLiteral("&&")), editor, tip);
        m_parameters.insert(parameter.name, editor);
    }
    arrange();
}

void OrderForm::setEngine(std::optional<Engine> engine)
{
    m_engine = engine;
    if (!m_scenario)
        return;
    for (QAbstractButton* button : m_variants->buttons()) {
        const scenario::Variant& variant =
            m_scenario->variants[static_cast<std::size_t>(m_variants->id(button))];
        const bool runs = !engine || variant.engines.contains(*engine);
        button->setEnabled(runs);
        button->setToolTip(runs
                ? variant.meaning
                : u"Not on %1; it runs on %2."_s.arg(engineName(*engine), enginesText(variant.engines)));
    }
    const QAbstractButton* checked = m_variants->checkedButton();
    // While something runs the whole form is disabled: that is not what counts here.
    if (checked && checked->isEnabledTo(this))
        return;
    QAbstractButton* best = nullptr;
    for (QAbstractButton* button : m_variants->buttons()) {
        const auto isUnsafe = [this](QAbstractButton* of) {
            return m_scenario->variants[static_cast<std::size_t>(m_variants->id(of))].isUnsafe;
        };
        if (button->isEnabledTo(this) && (!best || (isUnsafe(button) && !isUnsafe(best))))
            best = button;
    }
    if (!best && !m_variants->buttons().isEmpty())
        best = m_variants->buttons().first();
    if (best)
        best->setChecked(true);
    showMeaning();
}

void OrderForm::showMeaning()
{
    const scenario::Variant* chosen = variant();
    m_meaning->setText(chosen ? chosen->meaning : QString());
}

const scenario::Variant* OrderForm::variant() const
{
    const int id = m_variants ? m_variants->checkedId() : -1;
    return m_scenario && id >= 0 ? &m_scenario->variants[static_cast<std::size_t>(id)] : nullptr;
}

void OrderForm::chooseVariant(const QString& id)
{
    for (QAbstractButton* button : m_variants->buttons())
        if (m_scenario->variants[static_cast<std::size_t>(m_variants->id(button))].id == id)
            button->setChecked(true);
}

bool OrderForm::isComplete() const
{
    return std::all_of(m_parameters.begin(), m_parameters.end(), [](QWidget* editor) {
        const auto* line = qobject_cast<const QLineEdit*>(editor);
        return !line || line->hasAcceptableInput();
    });
}

scenario::RunOrder OrderForm::order() const
{
    scenario::RunOrder order;
    order.scenario = m_scenario;
    order.variant = variant() ? variant()->id : QString();
    order.sessions = m_sessions->value();
    order.duration = milliseconds(qRound64(m_duration->value() * 1'000));
    order.think = milliseconds(m_think->value());
    order.rate = m_rate->value();
    order.seed = static_cast<quint32>(m_seed->value());
    if (m_processes->isChecked())
        order.sessionsAre = scenario::SessionsAre::Processes;
    for (auto each = m_parameters.begin(); each != m_parameters.end(); ++each) {
        if (const auto* box = qobject_cast<const QSpinBox*>(each.value()))
            order.parameters.insert(each.key(), QString::number(box->value()));
        else if (const auto* line = qobject_cast<const QLineEdit*>(each.value()))
            order.parameters.insert(each.key(), line->text());
    }
    return order;
}

QList<scenario::RunOrder> OrderForm::ordersOfAllVariants() const
{
    QList<scenario::RunOrder> orders;
    if (!m_scenario)
        return orders;
    scenario::RunOrder one = order();
    for (const scenario::Variant& each : m_scenario->variants) {
        if (m_engine && !each.engines.contains(*m_engine))
            continue;
        one.variant = each.id;
        orders << one;
    }
    return orders;
}

RunBar::RunBar(QWidget* parent)
    : QWidget(parent)
    , m_run(named("runScenario", demiBold(1.0, pushButton(u"&Run"_s, this)))) // what most come for
    , m_compare(named("compareVariants", pushButton(u"&Compare variants"_s, this)))
    , m_stop(named("stopScenario", pushButton(u"Sto&p"_s, this)))
    , m_progress(new QProgressBar(this))
    , m_live(named("scenarioLive", yielding(plain(new QLabel(this)))))
{
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 8);
    m_progress->hide();
    addAll(*withoutMargins(new QHBoxLayout(this), 8),
        {m_run, m_compare, m_stop, spacer(6), m_progress, {m_live, 1}});
    connect(m_run, &QPushButton::clicked, this, &RunBar::runRequested);
    connect(m_compare, &QPushButton::clicked, this, &RunBar::comparisonRequested);
    connect(m_stop, &QPushButton::clicked, this, &RunBar::stopRequested);
}

void RunBar::setState(
    State state, bool canRun, bool canCompare, const QString& runTip, const QString& compareTip)
{
    m_run->setEnabled(canRun);
    m_run->setToolTip(runTip);
    m_compare->setEnabled(canCompare);
    m_compare->setToolTip(compareTip);
    // Only one of them can be pressed at any time.
    m_run->setVisible(state == State::Idle);
    m_compare->setVisible(state == State::Idle);
    m_stop->setVisible(state != State::Idle);
    m_stop->setEnabled(state == State::Running);
}

void RunBar::showPreparing()
{
    m_progress->setRange(0, 0);
    m_progress->show();
    tell(u"Preparing"_s);
}

void RunBar::showProgress(const Progress& progress, int sessions, int number, int count)
{
    switch (progress.phase) {
    case Progress::Phase::Preparing:
        m_progress->setRange(0, sessions);
        m_progress->setValue(progress.sessions);
        break;
    case Progress::Phase::Running:
        m_progress->setRange(0, static_cast<int>(progress.duration.count()));
        m_progress->setValue(static_cast<int>(progress.elapsed.count()));
        break;
    case Progress::Phase::Ending:
        m_progress->setRange(0, 0);
        break;
    }
    const QString which = count > 1 ? u"Variant %1 of %2: "_s.arg(number).arg(count) : QString();
    tell(which + progressText(progress, sessions));
}

void RunBar::showEnd(const QString& words)
{
    m_progress->hide();
    tell(words);
}

void RunBar::tell(const QString& words)
{
    m_live->setText(words);
    m_live->setToolTip(words);
}

void RunBar::focusStop()
{
    m_stop->setFocus();
}

void RunBar::passFocusOn()
{
    if (m_stop->hasFocus())
        m_run->setFocus();
}

} // namespace lockscope::ui

// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Contrasts as WCAG 2.1 computes them: 4.5:1 for text, disabled text too, 3:1 for drawings.

#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/theme/Theme.h"

namespace tst_Theme {

using namespace lockscope;
using namespace lockscope::ui;
using test::contrast;

struct Named {
    QString name;
    QColor color;
};

static void compareAll(const QList<Named>& inks, const QList<Named>& grounds, double least)
{
    for (const Named& ink : inks) {
        for (const Named& ground : grounds) {
            const double found = contrast(ink.color, ground.color);
            QVERIFY2(found >= least,
                qPrintable(u"%1 on %2: %3, at least %4 is needed"_s.arg(ink.name, ground.name)
                               .arg(found, 0, 'f', 2)
                               .arg(least)));
        }
    }
}

class tst_Theme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCOMPARE(std::round(contrast(Qt::black, Qt::white)), 21.0); }
    void textIsReadable_data() { addModes(); }

    void textIsReadable()
    {
        const QPalette palette = tst_Theme::palette();
        const ThemeColors& colors = theme::colors(palette);
        QList<Named> inks{{u"ok"_s, colors.ok}, {u"amber"_s, colors.amber}, {u"red"_s, colors.red},
            {u"muted"_s, colors.muted}, {u"accent"_s, colors.accent}};
        for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                 QPalette::PlaceholderText, QPalette::Link, QPalette::LinkVisited, QPalette::BrightText})
            inks.append({u"role %1"_s.arg(role), palette.color(role)});
        compareAll(inks, grounds(), 4.5);
        const QList<Named> fills{{u"amber ground"_s, colors.amberFill}, {u"red ground"_s, colors.redFill},
            {u"green ground"_s, colors.okFill}, {u"blue ground"_s, colors.infoFill}};
        compareAll(inks, fills, 4.5);
        compareAll({{u"selected text"_s, palette.color(QPalette::HighlightedText)}},
            {{u"the selection"_s, palette.color(QPalette::Highlight)}}, 4.5);
        compareAll({{u"text"_s, palette.color(QPalette::ToolTipText)}},
            {{u"a tooltip"_s, palette.color(QPalette::ToolTipBase)}}, 4.5);
    }

    void disabledTextIsReadable_data() { addModes(); }

    void disabledTextIsReadable()
    {
        const QPalette palette = tst_Theme::palette();
        QList<Named> inks;
        for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
            inks.append({u"disabled role %1"_s.arg(role), palette.color(QPalette::Disabled, role)});
        compareAll(inks, grounds(), 4.5);
        compareAll(
            {{u"disabled selected text"_s, palette.color(QPalette::Disabled, QPalette::HighlightedText)}},
            {{u"the disabled selection"_s, palette.color(QPalette::Disabled, QPalette::Highlight)}}, 4.5);
        // And different from text that is not.
        QVERIFY(palette.color(QPalette::Disabled, QPalette::Text) != palette.color(QPalette::Text));
    }

    void whatIsDrawnIsSeen_data() { addModes(); }

    void whatIsDrawnIsSeen()
    {
        const QPalette palette = tst_Theme::palette();
        const ThemeColors& colors = theme::colors(palette);
        compareAll({{u"a border"_s, colors.border}},
            {{u"the window"_s, palette.color(QPalette::Window)},
                {u"a table"_s, palette.color(QPalette::Base)}, {u"a card"_s, colors.card}},
            3);
        QList<Named> series{{u"all others"_s, colors.other}};
        for (const QColor& color : colors.series)
            series.append({u"series "_s + color.name(), color});
        compareAll(series, {{u"a card"_s, colors.card}}, 3);
    }

    void framesOfFieldsAreSeen_data() { addModes(); }

    void framesOfFieldsAreSeen()
    {
        QFETCH(const ThemeMode, mode);
        theme::apply(*qApp, mode);
        QWidget window;
        QList<QWidget*> fields{new QLineEdit(&window), new QPushButton(u"Act"_s, &window),
            new QComboBox(&window), new QSpinBox(&window), new QCheckBox(&window)};
        int top = 10;
        for (QWidget* field : fields) {
            field->setGeometry(20, top, field->sizeHint().width(), field->sizeHint().height());
            field->setFocusPolicy(Qt::NoFocus);
            top += 50;
        }
        window.resize(300, top);
        window.show();
        const QImage picture = window.grab().toImage();
        const QColor ground = window.palette().color(QPalette::Window);
        for (const QWidget* field : fields) {
            double best = 0; // what the eye meets first when it comes from the left
            for (int x = 16; x < 23; ++x)
                best =
                    std::max(best, contrast(picture.pixelColor(x, field->geometry().center().y()), ground));
            QVERIFY2(best >= 3,
                qPrintable(u"%1: %2"_s.arg(QLatin1String(field->metaObject()->className())).arg(best)));
        }
    }

    void disabledButtonsAreReadable_data() { addModes(); }

    /// The style may paint other colours than the palette has.
    void disabledButtonsAreReadable()
    {
        QFETCH(const ThemeMode, mode);
        theme::apply(*qApp, mode);
        QPushButton button(u"End session…"_s);
        QComboBox box;
        box.addItem(u"every 2 s"_s);
        for (QWidget* widget : std::initializer_list<QWidget*>{&button, &box}) {
            widget->setEnabled(false);
            widget->resize(widget->sizeHint());
            const QImage picture = widget->grab().toImage();
            const QColor ink = widget->palette().color(QPalette::Disabled, QPalette::ButtonText);
            for (int y = 4; y < picture.height() - 4; ++y) {
                const double found = contrast(ink, picture.pixelColor(4, y));
                QVERIFY2(found >= 4.5, qPrintable(u"row %1: %2"_s.arg(y).arg(found)));
            }
        }
    }

    void cleanupTestCase() { theme::apply(*qApp, ThemeMode::Light); }

private:
    static void addModes()
    {
        test::addRows<ThemeMode>("mode", {{"light", ThemeMode::Light}, {"dark", ThemeMode::Dark}});
    }

    static QPalette palette()
    {
        QFETCH(const ThemeMode, mode);
        return theme::paletteOf(mode);
    }

    /// Returns all backgrounds of text.
    static QList<Named> grounds()
    {
        const QPalette palette = tst_Theme::palette();
        const ThemeColors& colors = theme::colors(palette);
        return {{u"the window"_s, palette.color(QPalette::Window)},
            {u"a table"_s, palette.color(QPalette::Base)},
            {u"every second row"_s, palette.color(QPalette::AlternateBase)},
            {u"a button"_s, palette.color(QPalette::Button)}, {u"a card"_s, colors.card},
            {u"the side bar"_s, colors.sideBar}};
    }
};

LOCKSCOPE_TEST(tst_Theme)

} // namespace tst_Theme
#include "tst_Theme.moc"

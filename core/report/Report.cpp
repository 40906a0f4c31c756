// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Report.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/Session.h"

#include <QCryptographicHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::report {

using namespace Qt::StringLiterals;

Value::Value(std::optional<double> number)
{
    if (number)
        data = *number;
}

Value::Value(ServerTime time, bool exact)
    : isExact(exact)
{
    if (time.isValid())
        data = time.us;
}

Value Value::flag(bool is)
{
    Value value;
    value.data = is;
    return value;
}

Column::Column(Type what, const QString& name, const QString& heading, const QString& explanation)
    : key(name)
    , title(heading)
    , meaning(explanation)
    , type(what)
    , shown(heading.isEmpty() ? Shown::ToPrograms : Shown::Always)
{
}

QString Column::name() const
{
    return type == Type::Length ? key + u"_ms"_s : key;
}

const Section* Report::section(const QString& key) const
{
    const auto found = std::ranges::find(sections, key, &Section::key);
    return found == sections.end() ? nullptr : &*found;
}

QString timeText(ServerTime time, TimeForm form)
{
    if (form == TimeForm::Spaced || !time.isValid())
        return dateTimeText(time);
    return time.toIsoString().left(19) + u'Z'; // without fractions
}

namespace {

QString lengthText(microseconds length)
{
    if (length.count() <= 0)
        return u"0 s"_s;
    return length < std::chrono::minutes(1) ? shortDuration(length.count())
                                            : formatDuration(std::chrono::floor<milliseconds>(length));
}

QString numberText(double number)
{
    return QString::number(number, 'f', number < 10 ? 1 : 0);
}

} // namespace

QString shownText(const Column& column, const Value& value, TimeForm form)
{
    const QString bound = value.isExact ? QString() : column.bound == Bound::AtMost ? u"≤ "_s : u"≥ "_s;
    if (const auto* text = std::get_if<QString>(&value.data))
        return inOneLine(*text);
    if (const auto* texts = std::get_if<QStringList>(&value.data))
        return inOneLine(texts->join(u", "_s));
    if (const auto* flag = std::get_if<bool>(&value.data))
        return *flag ? u"yes"_s : u"no"_s;
    if (const auto* number = std::get_if<double>(&value.data))
        return bound + numberText(*number);
    if (const auto* number = std::get_if<qint64>(&value.data)) {
        switch (column.type) {
        case Type::Bytes:
            return bound + byteCountText(*number);
        case Type::Length:
            if (!value.isExact && *number == 0)
                break; // at least nothing is nothing known
            return bound + lengthText(microseconds(*number));
        case Type::Time:
            return bound + timeText({*number}, form);
        default:
            return bound + QString::number(*number);
        }
    }
    return u"–"_s;
}

QString spreadsheetSafe(const QString& text)
{
    static const QRegularExpression number(QStringLiteral("^[+-]?[0-9]+([.,][0-9]+)*( ?%)?$"));
    const bool afterBreak = !text.isEmpty() && QStringView(u"\t\r\n").contains(text.front());
    const QString seen = text.trimmed();
    const bool formula =
        !seen.isEmpty() && QStringView(u"=+-@\uff1d\uff0b\uff0d\uff20").contains(seen.front());
    if (!afterBreak && (!formula || number.match(text).hasMatch()))
        return text;
    return u'\'' + text;
}

QString csvCell(QString text)
{
    text = spreadsheetSafe(text);
    const bool special =
        std::any_of(text.cbegin(), text.cend(), [](QChar c) { return QStringView(u",\"\r\n").contains(c); });
    if (!special)
        return text;
    return u'"' + text.replace(u'"', u"\"\""_s) + u'"';
}

QString markdownCell(QString text)
{
    for (const char c : {'\\', '&', '`', '*', '_', '[', ']', '<', '>', '|', '#', '~'})
        text.replace(QLatin1Char(c), QLatin1Char('\\') + QString(QLatin1Char(c)));
    // Blanks that Markdown would join are part of a name.
    static const QRegularExpression joined(u"^ | $|(?<= ) "_s);
    for (const char c : {'\t', '\r', '\n'})
        text.replace(QLatin1Char(c), u' ');
    return text.replace(joined, u"&nbsp;"_s);
}

QString htmlText(const QString& text)
{
    return inLines(text).toHtmlEscaped();
}

QString steeringReplaced(const QString& text, const std::function<QString(QStringView)>& by)
{
    QString out;
    out.reserve(text.size());
    for (qsizetype i = 0; i < text.size();) {
        const bool isPair = text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        const char32_t c = isPair ? QChar::surrogateToUcs4(text[i], text[i + 1]) : text[i].unicode();
        const QStringView units = QStringView(text).mid(i, isPair ? 2 : 1);
        if (steersCode(c))
            out += by(units);
        else
            out += units;
        i += units.size();
    }
    return out;
}

QByteArray harmlessJson(const QByteArray& json)
{
    // At once if nothing in it could: of 100,000 locks hardly any has more than ASCII.
    if (std::all_of(json.begin(), json.end(), [](char c) { return c >= ' ' && c < '\x7f'; }))
        return json;
    const auto escaped = [](QStringView units) {
        QString text;
        for (const QChar unit : units)
            text += u"\\u%1"_s.arg(uint(unit.unicode()), 4, 16, QChar(u'0'));
        return text;
    };
    return steeringReplaced(QString::fromUtf8(json), escaped).toUtf8();
}

namespace {

const QByteArray& pageStyle()
{
    static const QByteArray text =
        R"(:root{color-scheme:light dark;--line:#8a8f98;--bad:#b3261e;--soft:#f1f3f5}
@media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--soft:#22262b}}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
pre{background:var(--soft);padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}.number{text-align:right;white-space:nowrap}.warning{color:var(--bad)}.victim{color:var(--bad);font-weight:600}.note{opacity:.8}
svg{max-width:100%;height:auto}svg text{fill:currentColor;font:13px system-ui,sans-serif}
.node{fill:var(--soft);stroke:var(--line)}.node.ended{stroke:var(--bad);stroke-width:2.5}.edge{stroke:currentColor;fill:none;stroke-width:1.5}
@page{margin:12mm}
@media print{:root{color-scheme:light;--bad:#b3261e;--soft:#f1f3f5}body{font-size:10px;line-height:1.35;max-width:none;margin:0;padding:0}
h1{font-size:16px;margin:0 0 6px}h2{font-size:12px;margin:10px 0 3px;break-after:avoid}p{margin:3px 0}th,td{padding:1px 6px}pre{padding:4px 6px;margin:3px 0}
tr,svg{break-inside:avoid}.wide,pre{overflow:visible}}
)";
    return text;
}

} // namespace

QByteArray htmlPageHead(const QString& title)
{
    const QByteArray hash =
        "'sha256-" + QCryptographicHash::hash(pageStyle(), QCryptographicHash::Sha256).toBase64() + "'";
    const QByteArray text = htmlText(title).toUtf8();
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src "
        + hash + "\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" + text
        + "</title>\n<style>" + pageStyle() + "</style>\n</head>\n<body>\n<h1>" + text + "</h1>\n";
}

QByteArray htmlPageEnd(const QByteArray& note)
{
    return "<p class=\"note\">Made by Lockscope " LOCKSCOPE_VERSION "." + note + "</p>\n</body>\n</html>\n";
}

} // namespace lockscope::report

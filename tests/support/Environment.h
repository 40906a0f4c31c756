// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>
#include <QtGlobal>

#include <optional>

namespace lockscope::test {

/// A variable of the environment, of this process and those that it starts, as long as this lives.
class Variable {
public:
    Variable(const char* name, const QString& value)
        : m_name(name)
        , m_before(qEnvironmentVariableIsSet(name) ? std::optional(qgetenv(name)) : std::nullopt)
    {
        qputenv(name, value.toLocal8Bit());
    }
    ~Variable()
    {
        if (m_before)
            qputenv(m_name, *m_before);
        else
            qunsetenv(m_name);
    }
    Q_DISABLE_COPY_MOVE(Variable)

private:
    const char* m_name;
    const std::optional<QByteArray> m_before;
};

} // namespace lockscope::test

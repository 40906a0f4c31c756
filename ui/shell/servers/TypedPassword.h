// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Mutex.h"
#include "core/db/credentials/Secrets.h"

#include <memory>
#include <optional>
#include <utility>

namespace lockscope::ui {

/// The password that the user typed for one server in this run. Connections ask for it from their own
/// threads, each time again: one that is typed while a server is open counts from the next connection on.
class TypedPassword {
public:
    void set(const QString& password)
    {
        const MutexLock guard(m_mutex);
        m_password = password;
    }
    std::optional<QString> get() const
    {
        const MutexLock guard(m_mutex);
        return m_password;
    }
    /// `typed`, or what `otherwise` says as long as nothing was typed.
    static db::PasswordProvider provider(
        std::shared_ptr<const TypedPassword> typed, db::PasswordProvider otherwise)
    {
        return [typed = std::move(typed), otherwise = std::move(otherwise)](
                   const QString& url) -> Result<QString> {
            if (const auto password = typed->get())
                return *password;
            return otherwise ? otherwise(url) : Result<QString>(QString());
        };
    }

private:
    mutable Mutex m_mutex;
    std::optional<QString> m_password LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace lockscope::ui

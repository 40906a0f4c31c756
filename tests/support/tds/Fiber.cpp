// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Fiber.h"

#include <utility>

namespace lockscope::test::tds {

Fiber::Fiber(std::function<void(Fiber&)> run, std::function<void()> atEnd)
    : m_atEnd(std::move(atEnd))
    , m_thread([this, code = std::move(run)] {
        m_toFiber.acquire();
        try {
            if (!m_isCancelled)
                code(*this);
        } catch (const Cancelled&) {
        }
        m_isDone = true;
        m_toServer.release();
    })
{
}

Fiber::~Fiber()
{
    if (!m_thread.joinable())
        return;
    m_isCancelled = true;
    m_toFiber.release();
    m_toServer.acquire();
    m_thread.join();
}

void Fiber::cancel()
{
    m_isCancelled = true;
    if (!m_isDone)
        proceed();
}

int Fiber::await(std::function<void(const Resume&)> begin)
{
    m_begin = std::move(begin);
    m_toServer.release();
    m_toFiber.acquire();
    if (m_isCancelled)
        throw Cancelled();
    return m_result;
}

void Fiber::proceed()
{
    const auto self = shared_from_this();
    while (true) {
        m_toFiber.release();
        m_toServer.acquire();
        if (m_isDone) {
            m_thread.join();
            if (!m_isCancelled)
                m_atEnd();
            return;
        }
        m_isReady = false;
        m_isBeginning = true;
        std::exchange(m_begin, {})([self](int result) {
            if (self->m_isDone || self->m_isCancelled)
                return;
            self->m_result = result;
            self->m_isReady = true;
            if (!self->m_isBeginning)
                self->proceed();
        });
        m_isBeginning = false;
        if (!m_isReady)
            return;
    }
}

} // namespace lockscope::test::tds

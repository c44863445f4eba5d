import { beforeAll, describe, expect, it } from 'vitest';
import {
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  newTenant,
  payOnHostedPage,
  type Tenant,
} from '../system/tenant.ts';
import { Caller } from '../system/http.ts';
import { urlFields } from './url-fields.ts';

/** Some of those that the schema of such fields refuses; its own test has all of them. */
const NOT_WEB_URLS = [
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//evil.example/',
  'https://shop.example\\@evil.example/',
  'https://user:password@shop.example/',
  'https://shop.example/\r\nSet-Cookie: a=b',
  'https://shop.example/\u0000',
  `https://shop.example/${'a'.repeat(10_240)}`,
];
const NOT_TEXT = [1, true, [], ['https://shop.example/'], { href: 'https://shop.example/' }];

let tenant: Tenant;
let customerId: string;
let priceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  [customerId, { priceId }] = await Promise.all([newCustomer(tenant), newMonthlyPrice(tenant)]);
});

describe('addresses that a browser is sent to', () => {
  it('S10: javascript:, data:, //evil, good@evil, CR LF, 10 kB and other odd addresses are 400 in every field that takes a URL', async () => {
    // That of an endpoint is for no browser: servers are what S12 is about.
    const fields = urlFields(tenant, { customerId, priceId }).filter(({ field }) => field !== 'url');
    expect(new Set(fields.map(({ field }) => field))).toEqual(new Set(['successUrl', 'cancelUrl', 'returnUrl']));
    await Promise.all(
      fields.flatMap(({ field, path, body }) =>
        [...NOT_WEB_URLS, ...NOT_TEXT].map(async url => {
          const response = await tenant.api.post(`${tenant.P}${path}`, { ...body, [field]: url });
          const row = `${field}: ${JSON.stringify(url).slice(0, 100)}`;
          expect({ row, status: response.status }).toEqual({ row, status: 400 });
          expect(response.body.error.details.fields[0].path, row).toBe(field);
        }),
      ),
    );
    const { objects } = await tenant.processor.ledger();
    expect(objects.filter(({ id }) => id.startsWith('cs_'))).toEqual([]);
  });

  it('S10: a web address reaches the processor as it was given, with {CHECKOUT_SESSION_ID} unescaped', async () => {
    const { sessionId, url } = await newCheckout(tenant, customerId, priceId);
    const session = await tenant.callProcessor(`/v1/checkout/sessions/${sessionId}`);
    expect(session.success_url).toBe('https://shop.example/done?session={CHECKOUT_SESSION_ID}');
    expect(await payOnHostedPage(url)).toBe(`https://shop.example/done?session=${sessionId}`);
  });

  it('S10: the portal never redirects to the address given for its link back, but shows it as a link of that text alone', async () => {
    const returnUrl = 'https://shop.example/"><script>alert(1)</script>?next=//evil.example';
    const withoutInvoices = await newCustomer(tenant);
    const { token } = await tenant.billing.portal.create({ customerId: withoutInvoices, returnUrl });
    const page = await new Caller().get(`/portal/${token}`);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<script>alert(1)');
    const links = [...String(page.body).matchAll(/href="(http[^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual([expect.stringMatching(/^https:\/\/shop\.example\//)]);
    for (const query of ['?returnUrl=//evil.example', '?next=https://evil.example', '?url=https://evil.example'])
      expect((await new Caller().get(`/portal/${token}${query}`)).status).toBe(200);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CustomerId, ProductId } from './ids.ts';
import { metadata } from './metadata.ts';
import { pageQuery, wholeListQuery } from './pagination.ts';
import { checkoutCreate } from './resources/checkout.ts';
import { customerCreate, customerUpdate } from './resources/customer.ts';
import { priceCreate, priceUpdate } from './resources/price.ts';
import { featureValue } from './resources/feature.ts';
import { productUpdate } from './resources/product.ts';
import { booleanText, canonicalEmail, email, emailAsGiven, optionalText, text, wantedEmail, webUrl } from './text.ts';

const productId = ProductId.create();
const price = (fields: object) => priceCreate.safeParse({ productId, unitAmount: 2999, currency: 'usd', ...fields });

describe('a price', () => {
  it('recurs by default, and then requires an interval', () => {
    expect(price({ interval: 'month' }).data).toMatchObject({ type: 'recurring' });
    expect(price({}).error?.issues.map(issue => issue.path)).toEqual([['interval']]);
  });

  it.each([
    { interval: 'day', intervalCount: 1_096 },
    { interval: 'week', intervalCount: 157 },
    { interval: 'month', intervalCount: 37 },
    { interval: 'year', intervalCount: 4 },
    { type: 'one_time', interval: 'month' },
    { interval: 'month', unitAmount: 100_000_000 },
    { interval: 'month', unitAmount: 1.5 },
    { interval: 'month', unitAmount: '100' },
    { interval: 'month', nickname: 'x' },
  ])('rejects %j', fields => {
    expect(price(fields).success).toBe(false);
  });

  it.each([
    ...'usdd us USD Usd xxx btc eth dem $ us$ ｕｓｄ uѕd __proto__ constructor'.split(' '),
    'usd ',
    ' usd',
    'usd\0',
    '',
  ])('has no currency %j', currency => {
    expect(price({ interval: 'month', currency }).success).toBe(false);
  });
});

it.each([undefined, null, 1.5, { limit: 5 }])('a feature does not take %j, and the error says what it takes', value => {
  const messages = featureValue.safeParse(value).error?.issues.map(({ message }) => message);
  expect(messages).toEqual([expect.stringMatching(/^Expected true or false, a whole number or "unlimited"/)]);
});

describe('null in a request', () => {
  it('clears what an update may clear, and nothing else', () => {
    const cleared = { name: null, externalId: null, metadata: null };
    expect(customerUpdate.parse(cleared)).toEqual({ ...cleared, metadata: {} });
    const ofProduct = { description: null, unitLabel: null, taxCode: null, metadata: null };
    expect(productUpdate.parse(ofProduct)).toEqual({ ...ofProduct, metadata: {} });
    expect(priceUpdate.parse({ metadata: null })).toEqual({ metadata: {} });
    const once = { type: 'one_time', interval: null, intervalCount: null };
    expect(price(once).data).toEqual(price({ type: 'one_time' }).data);
    for (const update of [{ email: null }, { isActive: null }])
      for (const schema of [customerUpdate, productUpdate]) expect(schema.safeParse(update).success).toBe(false);
  });
});

describe('an email address', () => {
  it('is trimmed, and lower-cased unless its spelling is needed', () => {
    expect(customerUpdate.parse({ email: '  Ada@Example.COM ' }).email).toBe('ada@example.com');
    expect(customerCreate.parse({ email: '  Ada@Example.COM ' }).email).toBe('Ada@Example.COM');
  });

  it.each([
    "a.b!#$%&'*+-/=?^_`{|}~c@example.com",
    'ada@bücher.example',
    'ada@xn--bcher-kva.example',
    'józef.ζ@例え.テスト',
    'ada..lovelace.@docomo.example',
    `${'a'.repeat(250)}@example.com`,
  ])('may be %j', address => {
    for (const schema of [emailAsGiven, email]) expect(schema.parse(address)).toBe(address);
  });

  it('of any characters before the @ that need no quotes is taken', () => {
    const character = fc.constantFrom(...'& # / = ! % { ? | . + - a Z 9 ä ß ж あ 😀'.split(' '));
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 200 }), local => {
        const address = `${local}@example.com`;
        expect(emailAsGiven.parse(address)).toBe(address);
        expect(email.parse(address)).toBe(canonicalEmail(address));
      }),
    );
  });

  it('is one whatever its case, its form in Unicode and the spaces around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), given => {
        const canonical = canonicalEmail(given);
        expect(canonicalEmail(canonical)).toBe(canonical);
        expect(canonicalEmail(` ${given.normalize('NFD')}\n`)).toBe(canonical);
      }),
    );
  });

  it('to look for may be any that an event brings', () => {
    for (const address of ['"Ada L"@example.com', 'ada@localhost', 'ada@example.com.'])
      expect(wantedEmail.parse(` ${address} `)).toBe(address.toLowerCase());
    for (const address of ['', 'ada', 'a\u0000@example.com', `${'a'.repeat(512)}@example.com`])
      expect(wantedEmail.safeParse(address).success).toBe(false);
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@lovelace@example.com',
    'ada lovelace@example.com',
    '<ada@example.com>',
    'ada@example.com,bob@example.com',
    'ada@example',
    'ada@example..com',
    'ada@-example.com',
    'a\u0000da@example.com',
    'a\u200bda@example.com',
    'a\ud800da@example.com',
    `${'a'.repeat(512)}@example.com`,
    'ada@example.com.',
    'ada@example.com\u00a0',
    // The Kelvin sign becomes k in lower case, the small form of @ and letters of full width become ASCII by NFKC.
    'mi\u212ae@example.com',
    'ada\ufe6bexample.com',
    '\uff41da@example.com',
    'ada\uff20example.com',
    'ada@ex\u00adample.com',
    `${'a'.repeat(10_000)}ada@example.com`,
  ])('S23: rejects %j', address => {
    for (const schema of [emailAsGiven, email]) expect(schema.safeParse(address).success).toBe(false);
  });
});

describe('a text', () => {
  it('is trimmed, and has one form in Unicode', () => {
    expect(text(5).parse('  Jo\u0308rg ')).toBe('J\u00f6rg');
    expect(optionalText(5).parse('Jo\u0308rg ')).toBe('J\u00f6rg ');
  });

  it.each(['', ' ', '\u200b', '\u200b\u2060 \ufeff', '\u00ad', '\u3164', '\u2800', '\u0007', '\u{e0001}', '\ud800'])(
    'may not be %j',
    value => {
      expect(text(20).safeParse(value).success).toBe(false);
    },
  );

  it.each(['0', '👩‍💻', 'می‌خواهم', '\u200bx', '-'])('may be %j', value => {
    expect(text(20).safeParse(value).success).toBe(true);
  });
});

describe('metadata', () => {
  it.each([
    'teamId',
    'projectId',
    'customerId',
    'priceId',
    'operationId',
    'externalId',
    'constructor',
    'prototype',
    'a[b]',
    '',
  ])('S18: rejects the key %j', key => {
    expect(metadata.safeParse({ [key]: 'x' }).success).toBe(false);
  });

  it('rejects a key of more than 40 characters', () => {
    expect(metadata.safeParse({ ['k'.repeat(40)]: 'x' }).success).toBe(true);
    expect(metadata.safeParse({ ['k'.repeat(41)]: 'x' }).success).toBe(false);
  });

  it('rejects __proto__ parsed from JSON', () => {
    const parsed: unknown = JSON.parse('{"__proto__": "x"}');
    expect(metadata.safeParse(parsed).success && Object.keys(metadata.parse(parsed)).length > 0).toBe(false);
  });

  it('accepts at most 46 keys', () => {
    const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
    expect(metadata.safeParse(of(46)).success).toBe(true);
    expect(metadata.safeParse(of(47)).success).toBe(false);
  });
});

describe('a return URL', () => {
  it.each([
    'https://shop.example/done?s={CHECKOUT_SESSION_ID}',
    'http://localhost:3000/',
    'https://shop.example?to=@ada',
  ])('accepts %s unchanged', url => {
    expect(webUrl.parse(url)).toBe(url);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//https://shop.example',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:msgbox(1)',
    'blob:https://shop.example/1',
    'file:///etc/passwd',
    'mailto:a@b.co',
    'view-source:https://shop.example/',
    'intent://shop.example/#Intent;end',
    '//evil.example',
    '///evil.example/',
    '/\\evil.example/',
    'done',
    '?done',
    '#done',
    ' ',
    'https:',
    'https:/shop.example',
    'https:shop.example',
    'https://',
    'https://shop.example\\@evil.example/',
    'https://shop.example/\u0000',
    'https://shop.example/ x',
    'https://shop .example/',
    'https://shop.example:99999/',
    'https://[::1/',
    'https://%00.evil.example/',
    'https://shop.example/\ud800',
    'https://good@evil.example',
    'https://:pw@evil.example/',
    'https://@evil.example/',
    'https://:@evil.example',
    'https:///evil.example/',
    'https://a.example/\r\nx: y',
    'https:\\\\evil.example',
    'ftp://a.example',
    '/relative',
    '',
    `https://a.example/${'x'.repeat(10_000)}`,
  ])('S10: rejects %j', url => {
    expect(webUrl.safeParse(url).success).toBe(false);
  });
});

describe('a checkout', () => {
  const base = {
    customerId: CustomerId.create(),
    priceId: 'pri_0123456789abcdefghjk',
    successUrl: 'https://a.example',
    cancelUrl: 'https://a.example',
  };

  it('defaults to a page in subscription mode', () => {
    expect(checkoutCreate.parse(base)).toMatchObject({ collect: 'page', mode: 'subscription' });
  });

  it('names a price or items, and a page by its addresses', () => {
    const { priceId, successUrl: _url, ...others } = base;
    const items = [{ priceId }];
    for (const wrong of [
      others,
      { ...base, items },
      { ...base, priceId: undefined, items, quantity: 2 },
      { ...others, priceId },
    ])
      expect(checkoutCreate.safeParse(wrong).success).toBe(false);
    expect(checkoutCreate.safeParse({ ...base, priceId: undefined, items }).success).toBe(true);
    expect(checkoutCreate.safeParse({ ...base, priceId: undefined, items: [...items, ...items] }).success).toBe(false);
  });

  it('rejects a trial in payment mode', () => {
    expect(checkoutCreate.safeParse({ ...base, mode: 'payment', trialDays: 7 }).success).toBe(false);
  });
});

describe('a query', () => {
  it.each(['1', 'TRUE', 'yes', '', 'false '])('rejects %j as a boolean', value => {
    expect(booleanText.safeParse(value).success).toBe(false);
  });

  it('clamps a limit to 100 and rejects anything but a whole number', () => {
    expect(pageQuery.limit.parse('1000')).toBe(100);
    expect(pageQuery.limit.parse(undefined)).toBe(50);
    expect(wholeListQuery.limit.parse(undefined)).toBe(1_000);
    expect(wholeListQuery.limit.parse('1000')).toBe(100);
    for (const given of ['0', '-0']) expect(pageQuery.limit.safeParse(given).success).toBe(false);
  });

  it.each(
    [
      ['-1', '1.5', '1.0', '0x10', '1e3', '1e9', '+1', ' 1', '1 ', '1\0', '1,000', '1_000', '01.', '', 'NaN'],
      ['Infinity', '-Infinity', 'null', 'undefined', 'true', 'all', 'max', '*', '%', '٣', '１', '१', '²', '[]'],
      ['{}', "1'", '1;', '1--', '--1', '9'.repeat(17), '9'.repeat(400), '1'.repeat(5_000), '99999999999999999999'],
    ].flat(),
  )('has no limit and no offset of %j', given => {
    for (const schema of [pageQuery.limit, pageQuery.offset]) expect(schema.safeParse(given).success).toBe(false);
  });

  it('returns a page within its bounds for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)), given => {
        const limit = pageQuery.limit.safeParse(given);
        const offset = pageQuery.offset.safeParse(given);
        const within = (value: number, min: number, max: number) =>
          Number.isInteger(value) && value >= min && value <= max;
        return (
          (!limit.success || within(limit.data, 1, 100)) && (!offset.success || within(offset.data, 0, 2 ** 31 - 1))
        );
      }),
    );
  });
});

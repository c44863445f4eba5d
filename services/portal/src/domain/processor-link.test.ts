import { describe, expect, it } from 'vitest';
import { hostedPageLink, processorLink } from './processor-link.ts';

const LOCAL_PROCESSOR = 'http://127.0.0.1:12111';

describe('processorLink', () => {
  it.each([
    'https://pay.stripe.com/invoice/1/pdf?s=ap',
    'https://invoice.stripe.com/i/acct_1/live_1',
    'http://127.0.0.1:12111/i/1/pdf',
    'http://localhost:12111/i/1/pdf',
  ])('accepts %s', address => {
    expect(processorLink(address, LOCAL_PROCESSOR)).toBe(address);
  });

  it.each([
    null,
    '',
    'javascript:alert(1)',
    'JAVASCRIPT://pay.stripe.com/%0aalert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    'vbscript:x',
    'blob:https://invoice.stripe.com/x',
    '//invoice.stripe.com/x',
    'https://evil.example/?https://invoice.stripe.com/',
    'data:text/html,<script>',
    '//evil.example',
    '/relative',
    'http://evil.example/',
    'http://127.0.0.1:12112/',
    'ftp://127.0.0.1:12111/',
    'https://evil.example/',
    'https://notstripe.com/',
    'https://stripe.com.evil.example/',
    'http://pay.stripe.com/',
    'https://user:pass@pay.stripe.com/',
    'https://pay.stripe.com@evil.example/',
  ])('S13: rejects %j', address => {
    expect(processorLink(address, LOCAL_PROCESSOR)).toBeNull();
  });

  it('S13: makes what is odd behind the host a part of the path', () => {
    for (const [address, path] of [
      ['https://invoice.stripe.com\\@evil.example/x', '/@evil.example/x'],
      ['https://invoice.stripe.com/"><script>alert(1)</script>', '/%22%3E%3Cscript%3Ealert(1)%3C/script%3E'],
    ] as const)
      expect(processorLink(address, LOCAL_PROCESSOR)).toBe(`https://invoice.stripe.com${path}`);
  });

  it('rejects loopback addresses when the processor is Stripe', () => {
    expect(processorLink('http://localhost/i', undefined)).toBeNull();
  });
});

describe('hostedPageLink', () => {
  it('accepts a team’s own domain, which processorLink rejects', () => {
    const page = 'https://pay.shop.example/c/pay/cs_1';
    expect(hostedPageLink(page, undefined)).toBe(page);
    expect(processorLink(page, undefined)).toBeNull();
  });

  it.each([null, 'http://pay.shop.example/', 'javascript:alert(1)', 'https://a:b@shop.example/'])(
    'rejects %j',
    address => {
      expect(hostedPageLink(address, undefined)).toBeNull();
    },
  );
});

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
  ])('rejects %j', address => {
    expect(processorLink(address, LOCAL_PROCESSOR)).toBeNull();
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

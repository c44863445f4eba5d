import { describe, expect, it } from 'vitest';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { hasExpired } from './card-expiry.ts';
import { portalLinks } from './links.ts';
import { openedPage, processorLink } from './processor-link.ts';
import { canCancel, canResume, mostUrgentFirst, standingOf } from './subscription-view.ts';
import { createToken, hashToken, isToken } from './token.ts';

describe('a token', () => {
  it('has 256 random bits, and is kept as its hash', () => {
    const tokens = new Set(Array.from({ length: 1_000 }, createToken));
    expect(tokens.size).toBe(1_000);
    for (const token of tokens) {
      expect(isToken(token)).toBe(true);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
      expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});

describe('a subscription as its customer sees it', () => {
  it('has a word for every status', () => {
    for (const status of SUBSCRIPTION_STATUSES)
      expect(standingOf({ status, cancelAtPeriodEnd: false }).words).toMatch(/^[A-Z][a-z ]+$/);
    expect(standingOf({ status: 'active', cancelAtPeriodEnd: true }).words).toBe('Ending soon');
    expect(standingOf({ status: 'past_due', cancelAtPeriodEnd: true }).words).toBe('Payment overdue');
  });

  it('can be canceled or resumed but never both, and neither once it has ended', () => {
    for (const status of SUBSCRIPTION_STATUSES)
      for (const cancelAtPeriodEnd of [true, false]) {
        const shown = { status, cancelAtPeriodEnd };
        expect(canCancel(shown) && canResume(shown)).toBe(false);
      }
    for (const status of ['canceled', 'incomplete_expired'] as const)
      for (const cancelAtPeriodEnd of [true, false]) {
        const ended = { status, cancelAtPeriodEnd };
        expect(canCancel(ended) || canResume(ended)).toBe(false);
      }
    expect(canCancel({ status: 'past_due', cancelAtPeriodEnd: false })).toBe(true);
    expect(canResume({ status: 'trialing', cancelAtPeriodEnd: true })).toBe(true);
  });

  it('comes first when a payment is missing, else in the order given', () => {
    const shown = (['active', 'past_due', 'trialing', 'unpaid'] as const).map(status => ({
      status,
      cancelAtPeriodEnd: false,
    }));
    expect(mostUrgentFirst(shown).map(({ status }) => status)).toEqual(['past_due', 'unpaid', 'active', 'trialing']);
  });
});

describe('a link to the processor', () => {
  it.each([
    'https://pay.stripe.com/invoice/1/pdf?s=ap',
    'https://invoice.stripe.com/i/acct_1/live_1',
    'http://127.0.0.1:12111/i/1/pdf',
    'http://localhost:12111/i/1/pdf',
  ])('may be %s', address => {
    expect(processorLink(address, 'http://127.0.0.1:12111')).toBe(address);
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
  ])('is never %j', address => {
    expect(processorLink(address, 'http://127.0.0.1:12111')).toBeNull();
  });

  it('is https only at the real processor', () => {
    expect(processorLink('http://localhost/i', undefined)).toBeNull();
  });

  it('may be at a team’s own domain only when the processor has just opened it', () => {
    const page = 'https://pay.shop.example/c/pay/cs_1';
    expect(openedPage(page, undefined)).toBe(page);
    expect(processorLink(page, undefined)).toBeNull();
    for (const address of [null, 'http://pay.shop.example/', 'javascript:alert(1)', 'https://a:b@shop.example/'])
      expect(openedPage(address, undefined)).toBeNull();
  });
});

describe('the portal’s addresses', () => {
  it('keep a path that the public address has', () => {
    const links = portalLinks('https://example.com/billing/', 'TOKEN');
    expect(links.absolute(links.page)).toBe('https://example.com/billing/portal/TOKEN');
    expect(links.api).toBe('/billing/api/portal/TOKEN');
    expect(links.tab('invoices', { page: 2, notice: 'resumed' })).toBe(
      '/billing/portal/TOKEN?tab=invoices&page=2&notice=resumed',
    );
  });
});

describe('a card', () => {
  it('is good until the last day of its month', () => {
    const card = { expMonth: 12, expYear: 2026 };
    expect(hasExpired(card, new Date('2026-12-31T23:59:59Z'))).toBe(false);
    expect(hasExpired(card, new Date('2027-01-01T00:00:00Z'))).toBe(true);
  });
});

import type { PortalConfig } from '@billing/client';
import { expect, it } from 'vitest';
import { configOf, formOf, movedUp } from './portal-form.ts';

const config: PortalConfig = {
  planSwitch: { enabled: true, priceIds: ['pri_b', 'pri_a'], when: 'auto', proration: 'none' },
  quantity: { enabled: false, min: 1, max: 999_999 },
  cancellation: { askReason: true, saveOffer: { promotionCodeId: 'prc_1' } },
  pause: { enabled: true, maxDays: 90 },
  billingDetails: { enabled: true },
  defaultLanguage: 'de',
  brand: { name: null, logoUrl: null, accentColor: '#1a7f5a', supportUrl: null, returnUrl: 'https://shop.example' },
};

it('leaves settings as they are that nobody changes', () => {
  expect(configOf(formOf(config))).toEqual(config);
  const off = {
    ...config,
    cancellation: { askReason: false, saveOffer: null },
    pause: { enabled: false, maxDays: null },
  };
  expect(configOf(formOf(off))).toEqual(off);
});

it('sends what the service refuses, and nothing for blank texts', () => {
  const form = formOf(config);
  const written = configOf({ ...form, min: '', max: '2.5', brand: { ...form.brand, name: ' ', logoUrl: ' x ' } });
  expect(written.quantity).toEqual({ enabled: false, min: 0, max: 2.5 });
  expect(written.brand).toMatchObject({ name: null, logoUrl: 'x' });
});

it('moves a price nearer to the beginning', () => {
  expect(movedUp(['a', 'b', 'c'], 'c')).toEqual(['a', 'c', 'b']);
  expect(movedUp(['a', 'b'], 'a')).toEqual(['a', 'b']);
  expect(movedUp(['a', 'b'], 'x')).toEqual(['a', 'b']);
});

import { expect, it } from 'vitest';
import { paymentMethodLine } from './payment-method-text.ts';
import { storedPaymentMethod } from './resources/payment.ts';

it.each([
  [{ type: 'card', brand: 'amex', last4: '0005' }, 'American Express •••• 0005'],
  [{ type: 'card', brand: 'new_brand', last4: '0005' }, 'New brand •••• 0005'],
  [{ type: 'card', brand: null, last4: null }, 'Card'],
  [{ type: 'sepa_debit', last4: '3000', country: 'DE' }, 'SEPA Direct Debit •••• 3000 · Germany'],
  [{ type: 'sepa_debit', last4: '3000', country: '??' }, 'SEPA Direct Debit •••• 3000 · ??'],
  [
    { type: 'us_bank_account', last4: '6789', bankName: 'TEST BANK', country: 'US' },
    'US bank account •••• 6789 · TEST BANK',
  ],
  [{ type: 'bank_account', last4: '6789', bankName: 'TEST BANK' }, 'Bank account •••• 6789 · TEST BANK'],
  [{ type: 'acss_debit', last4: '6789', bankName: null }, 'Canadian pre-authorized debit •••• 6789'],
  [{ type: 'bacs_debit', last4: '2345' }, 'Bacs Direct Debit •••• 2345'],
  [{ type: 'au_becs_debit', last4: '3456' }, 'BECS Direct Debit •••• 3456'],
  [{ type: 'ideal', bankName: 'abn_amro', last4: '5264' }, 'iDEAL •••• 5264 · ABN AMRO'],
  [{ type: 'link', account: 'a•••a@example.com' }, 'Link · a•••a@example.com'],
  [{ type: 'paypal', account: 'a•••a@example.com', country: 'US' }, 'PayPal · a•••a@example.com'],
  [{ type: 'cashapp', account: '$j•••y' }, 'Cash App Pay · $j•••y'],
  [{ type: 'revolut_pay', brand: 'visa', last4: '4242' }, 'Revolut Pay (Visa) •••• 4242'],
  [{ type: 'amazon_pay' }, 'Amazon Pay'],
  [{ type: 'some_new_pay' }, 'Some new pay'],
])('reads %j as %j', (given, text) => {
  expect(paymentMethodLine(storedPaymentMethod.parse({ brand: null, last4: null, ...given }), 'en-US')).toBe(text);
});

it('names countries in the language of the reader', () => {
  const sepa = storedPaymentMethod.parse({ type: 'sepa_debit', brand: null, last4: '3000', country: 'DE' });
  expect(paymentMethodLine(sepa, 'de')).toBe('SEPA Direct Debit •••• 3000 · Deutschland');
});

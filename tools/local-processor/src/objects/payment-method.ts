import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Customer, PaymentMethod } from './stored.ts';

/** A test card as the hosted page shows it. It has no number: the local processor stores no card data. */
export interface TestCard {
  brand: string;
  label: string;
  last4: string;
  funding: string;
}

const VISA: TestCard = { brand: 'visa', label: 'Visa', last4: '4242', funding: 'credit' };

const CARDS: readonly TestCard[] = [
  VISA,
  { brand: 'mastercard', label: 'Mastercard', last4: '4444', funding: 'credit' },
  { brand: 'amex', label: 'American Express', last4: '0005', funding: 'credit' },
  { brand: 'discover', label: 'Discover', last4: '1117', funding: 'credit' },
  { brand: 'visa', label: 'Visa debit', last4: '5556', funding: 'debit' },
];

const DISPUTING: TestCard = { brand: 'visa', label: 'Visa that disputes', last4: '0259', funding: 'credit' };

/** Stripe's ids of test cards, which a script attaches to a customer. https://docs.stripe.com/testing#use-test-cards */
const BY_TEST_ID = new Map<string, TestCard & { declines?: true; authenticates?: true }>([
  ['pm_card_visa', VISA],
  ['pm_card_createDispute', DISPUTING],
  ['pm_card_mastercard', { brand: 'mastercard', label: 'Mastercard', last4: '4444', funding: 'credit' }],
  [
    'pm_card_chargeCustomerFail',
    { brand: 'visa', label: 'Visa that declines', last4: '0341', funding: 'credit', declines: true },
  ],
  [
    'pm_card_authenticationRequired',
    { brand: 'visa', label: 'Visa to confirm', last4: '3184', funding: 'credit', authenticates: true },
  ],
]);

/** Stripe's id of a test account of a US bank. https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment#test-your-integration */
const US_BANK_ACCOUNT = 'pm_usBankAccount_success';

/** Returns whether the bank disputes each payment with this card. */
export function isDisputing({ card }: PaymentMethod): boolean {
  return card?.last4 === DISPUTING.last4;
}

/** Returns a payment method that can be attached: an existing one, or a new one for the id of a test card or account. */
export function attachable(unit: UnitOfWork, id: string): PaymentMethod | undefined {
  if (id === US_BANK_ACCOUNT) return unit.create('payment_method', newBankAccount(unit));
  const card = BY_TEST_ID.get(id);
  if (!card) return unit.tables.payment_method.get(id);
  const method = unit.create('payment_method', newPaymentMethod(unit, card, null));
  if (card.declines) unit.tables.declining_card.put({ id: method.id });
  if (card.authenticates) unit.tables.declining_card.put({ id: method.id, authenticates: true });
  return method;
}

/** Returns the card for a customer's next checkout. Each checkout uses a different card, so that replacing a card is visible. */
export function nextTestCard(unit: UnitOfWork, customerId: string | null): TestCard {
  const owned = customerId === null ? 0 : unit.tables.payment_method.withField('customer', customerId).length;
  return CARDS[owned % CARDS.length] ?? VISA;
}

/** Returns a payment method for a test card that is not attached to a customer. */
export function newPaymentMethod(unit: UnitOfWork, card: TestCard, customer: Customer | null): PaymentMethod {
  return {
    ...newMethod(unit, customer),
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: 'pass', cvc_check: 'pass' },
      country: 'US',
      display_brand: card.brand,
      exp_month: 12,
      exp_year: new Date(unit.now * 1000).getUTCFullYear() + 4,
      fingerprint: `local${card.brand}${card.last4}`,
      funding: card.funding,
      generated_from: null,
      last4: card.last4,
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    type: 'card',
  };
}

/** Returns a payment method for the test account of a US bank that is not attached to a customer. */
const newBankAccount = (unit: UnitOfWork): PaymentMethod => ({
  ...newMethod(unit, null),
  type: 'us_bank_account',
  us_bank_account: {
    account_holder_type: 'individual',
    account_type: 'checking',
    bank_name: 'STRIPE TEST BANK',
    financial_connections_account: null,
    fingerprint: 'localbank6789',
    last4: '6789',
    networks: { preferred: 'ach', supported: ['ach'] },
    routing_number: '110000000',
    status_details: {},
  },
});

const newMethod = (unit: UnitOfWork, customer: Customer | null) => ({
  id: newId('pm_1'),
  object: 'payment_method' as const,
  allow_redisplay: 'limited' as const,
  billing_details: {
    address: { city: null, country: 'US', line1: null, line2: null, postal_code: '94107', state: null },
    email: customer?.email ?? null,
    name: customer?.name ?? null,
    phone: null,
    tax_id: null,
  },
  created: unit.now,
  customer: null,
  customer_account: null,
  livemode: unit.livemode,
  metadata: {},
});

/** Attaches a payment method to a customer and emits its event. */
export function attach(unit: UnitOfWork, paymentMethod: PaymentMethod, customer: Customer): PaymentMethod {
  const attached = { ...paymentMethod, customer: customer.id };
  unit.tables.payment_method.put(attached);
  unit.emit('payment_method.attached', attached);
  return attached;
}

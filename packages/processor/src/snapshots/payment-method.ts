import type { PaymentMethod } from '@billing/contracts/resources/payment';
import type { PaymentMethodSnapshot } from '../port.ts';
import { parseObject, type Fields } from './fields.ts';
import { shortText, wholeNumber, type ValueType } from './values.ts';

/** Parses a payment method, or a card, a bank account or another source of before there were payment methods. */
export const readPaymentMethod = (raw: unknown): PaymentMethodSnapshot =>
  parseObject(raw, method => {
    const read = readMethod(method, method) ?? UNKNOWN;
    return { id: method.required('id', shortText), expiry: null, ...read };
  });

/**
 * Reads what may be shown of a payment method, or of the details of one that was charged, and tells it apart from others of
 * its type. `owner` has the address of the payer. Null without a type.
 * https://docs.stripe.com/api/payment_methods/object https://docs.stripe.com/api/charges/object#charge_object-payment_method_details
 */
export function methodFields(method: Fields, owner: Fields): PaymentMethod | null {
  const read = readMethod(method, owner);
  if (!read) return null;
  const { expiry: _expiry, ...fields } = read;
  return fields;
}

const UNKNOWN = { type: 'unknown', brand: null, last4: null, bankName: null, country: null, account: null };

type ReadMethod = PaymentMethod & Partial<Pick<PaymentMethodSnapshot, 'expiry'>>;

/** What a method has is named like its type; a card or a bank account has it by itself, and no type. */
function readMethod(method: Fields, owner: Fields): ReadMethod | null {
  const ofType = method.optional('type', shortText);
  const type = ofType ?? method.optional('object', shortText);
  if (type === null) return null;
  const details = ofType === null ? detailsOf(method) : method.expanded(ofType, detailsOf);
  const read = { ...UNKNOWN, ...details, type };
  // All that tells a wallet apart whose object has nothing, such as Amazon Pay.
  const isBare = read.last4 === null && read.bankName === null && read.account === null;
  return isBare ? { ...read, account: payerOf(owner) } : read;
}

function detailsOf(it: Fields): Omit<ReadMethod, 'type'> {
  // A wallet has the card that it charges; the `funding` of a card is a word.
  const charged = it.expanded('funding', funding => funding.optionalObject('card', cardFields));
  const card = charged ?? it.expanded('card', cardFields) ?? cardFields(it);
  const account = firstOf(it, ['email', 'payer_email', 'cashtag', 'vpa', 'pay_id']);
  return {
    ...card,
    bankName: firstOf(it, ['bank_name', 'bank']),
    country: card.brand === null ? it.optional('country', shown) : null,
    account: account === null ? null : masked(account),
  };
}

function cardFields(it: Fields) {
  const [expMonth, expYear] = [it.optional('exp_month', wholeNumber), it.optional('exp_year', wholeNumber)];
  return {
    brand: it.optional('brand', shown),
    last4: firstOf(it, ['last4', 'iban_last4']),
    expiry: expMonth === null || expYear === null ? null : { expMonth, expYear },
  };
}

function payerOf(owner: Fields): string | null {
  const email = owner.optionalObject('billing_details', it => it.optional('email', shown));
  return email === null ? null : masked(email);
}

/**
 * Returns an account as its holder knows it, and nobody finds out whose it is: without the middle of an address or a name.
 * Payments are kept when their customer is deleted.
 */
function masked(account: string): string {
  const at = account.lastIndexOf('@');
  const [name, domain] = at > 0 ? [account.slice(0, at), account.slice(at)] : [account, ''];
  const [, sign = '', letters = ''] = /^([$+]?)(.*)$/su.exec(name) ?? [];
  const [first = '', ...others] = Array.from(letters);
  return `${sign}${first}•••${others.length > 2 ? others.at(-1) : ''}${domain}`;
}

const firstOf = (it: Fields, names: readonly string[]): string | null =>
  names.reduce<string | null>((found, name) => found ?? it.optional(name, shown), null);

/** Only shown: what is no short text is left out, and costs nobody the payment that has it. */
const shown: ValueType<string | null> = { expected: 'anything', parse: value => shortText.parse(value) || null };

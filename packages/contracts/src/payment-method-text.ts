/** What is shown of a payment method, as in the resource: its type, and what tells it apart from others of that. */
export interface ShownPaymentMethod {
  readonly type: string;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly bankName: string | null;
  readonly country: string | null;
  readonly account: string | null;
}

/** A payment method as people read it: `US bank account`, `6789`, `STRIPE TEST BANK`. */
export interface PaymentMethodText {
  readonly name: string;
  readonly last4: string | null;
  /** What else tells it apart: the account of a wallet, else the bank, else the country of the bank account. */
  readonly detail: string | null;
}

/** Returns what people read of a payment method; an unknown type or brand is made readable. Countries are named in the locale. */
export function paymentMethodText(method: ShownPaymentMethod, locale: string): PaymentMethodText {
  const { type, brand, last4, bankName, country, account } = method;
  const bank = bankName === null ? null : readable(bankName, BANKS);
  const place = last4 === null || country === null ? null : regionName(country, locale);
  return { name: nameOf(type, brand), last4, detail: account ?? bank ?? place };
}

/** The same in one line: `Visa •••• 4242`, `SEPA Direct Debit •••• 3000 · Germany`, `PayPal · a•••e@example.com`. */
export function paymentMethodLine(method: ShownPaymentMethod, locale: string): string {
  const { name, last4, detail } = paymentMethodText(method, locale);
  return `${name}${last4 === null ? '' : ` •••• ${last4}`}${detail === null ? '' : ` · ${detail}`}`;
}

function nameOf(type: string, brand: string | null): string {
  const name = readable(type, TYPES);
  if (brand === null) return name;
  return CARDS.has(type) ? readable(brand, BRANDS) : `${name} (${readable(brand, BRANDS)})`;
}

/** Returns the name of a code: `sepa_debit` is `SEPA Direct Debit`, and an unknown `some_new_pay` is `Some new pay`. */
function readable(code: string, names: ReadonlyMap<string, string>): string {
  const text = code.replaceAll('_', ' ').trim();
  return names.get(code) ?? text.charAt(0).toUpperCase() + text.slice(1);
}

function regionName(country: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country;
  return new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country;
}

/** Types that are cards, whose brand says enough. */
const CARDS: ReadonlySet<string> = new Set(['card', 'card_present', 'interac_present', 'kr_card']);

/** Names of types that their codes do not show. https://docs.stripe.com/api/payment_methods/object#payment_method_object-type */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ach_credit_transfer: 'ACH transfer',
    ach_debit: 'US bank account',
    acss_debit: 'Canadian pre-authorized debit',
    afterpay_clearpay: 'Afterpay',
    amazon_pay: 'Amazon Pay',
    au_becs_debit: 'BECS Direct Debit',
    bacs_debit: 'Bacs Direct Debit',
    blik: 'BLIK',
    card_present: 'Card',
    cashapp: 'Cash App Pay',
    customer_balance: 'Bank transfer',
    eps: 'EPS',
    fpx: 'FPX',
    grabpay: 'GrabPay',
    ideal: 'iDEAL',
    interac_present: 'Interac',
    kakao_pay: 'Kakao Pay',
    kr_card: 'Korean card',
    mb_way: 'MB WAY',
    mobilepay: 'MobilePay',
    naver_pay: 'Naver Pay',
    nz_bank_account: 'New Zealand bank account',
    oxxo: 'OXXO',
    p24: 'Przelewy24',
    payco: 'PAYCO',
    paynow: 'PayNow',
    paypal: 'PayPal',
    payto: 'PayTo',
    promptpay: 'PromptPay',
    revolut_pay: 'Revolut Pay',
    samsung_pay: 'Samsung Pay',
    sepa_credit_transfer: 'SEPA transfer',
    sepa_debit: 'SEPA Direct Debit',
    twint: 'TWINT',
    upi: 'UPI',
    us_bank_account: 'US bank account',
    wechat: 'WeChat Pay',
    wechat_pay: 'WeChat Pay',
  }),
);

/** Names of brands that their codes do not show. https://docs.stripe.com/api/payment_methods/object#payment_method_object-card-brand */
const BRANDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amex: 'American Express',
    cartes_bancaires: 'Cartes Bancaires',
    diners: 'Diners Club',
    eftpos_au: 'eftpos',
    jcb: 'JCB',
    unionpay: 'UnionPay',
  }),
);

/** Names of banks that their codes do not show. https://docs.stripe.com/api/payment_methods/object#payment_method_object-ideal-bank */
const BANKS: ReadonlyMap<string, string> = new Map(
  Object.entries({ abn_amro: 'ABN AMRO', asn_bank: 'ASN Bank', ing: 'ING', n26: 'N26', sns_bank: 'SNS Bank' }),
);

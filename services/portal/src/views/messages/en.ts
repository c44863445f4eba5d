/**
 * Every text of the portal, in ICU message format. The other languages have the same texts with the same arguments.
 * `<hidden>` is read to those who cannot see the page; it names what a short label is about.
 */
export const en = {
  billing: 'Billing',
  pageTitle: 'Billing – {name}',
  yourBilling: 'Your billing',
  returnTo: 'Return to {project}',
  subscriptions: 'Subscriptions',
  invoices: 'Invoices',
  paymentMethods: 'Payment methods',
  footer: 'All dates are in {zone}. Anyone with this link can see this page, so don’t pass it on.',
  timeZone: 'the time zone {zone}',

  getHelp: 'Get help',

  cancelScheduled: 'Your subscription is set to end. You can resume it until then.',
  resumed: 'Your subscription goes on.',
  alreadyEnded: 'This subscription has already ended.',
  hasSchedule: 'This subscription follows a fixed plan, so it can’t be changed here. Please ask us to change it.',
  paymentMethodSaved: 'Your new payment method is saved. It may take a moment to show here.',
  failed: 'That didn’t go through. Please try again.',
  canceling: 'Canceling…',
  resuming: 'Resuming…',

  subscription: 'Subscription',
  noSubscription: 'No subscription',
  nothingBilled: 'Nothing is billed to you at the moment.',
  active: 'Active',
  trialing: 'Free trial',
  pastDue: 'Payment overdue',
  unpaid: 'Unpaid',
  incomplete: 'Waiting for the first payment',
  paused: 'Paused',
  ended: 'Ended',
  endingSoon: 'Ending soon',
  price:
    '<b>{amount}</b>{interval, select, day {{count, plural, =1 { / day} other { every # days}}} week {{count, plural, =1 { / week} other { every # weeks}}} month {{count, plural, =1 { / month} other { every # months}}} year {{count, plural, =1 { / year} other { every # years}}} other { once}}{quantity, plural, =1 {} other { × #}}',
  byUsage: 'By usage',
  cancelsOn: 'Cancels on',
  renewsOn: 'Renews on',
  trialEndsOn: 'Trial ends on',
  currentPeriod: 'Current period',
  paidWith: 'Paid with',
  resume: 'Resume<hidden> {name}</hidden>',

  cancel: 'Cancel<hidden> {name}</hidden>',
  cancelThis: 'Cancel {name}?',
  cancelYours: 'Cancel your subscription?',
  cancelSubscription: 'Cancel subscription',
  keepIt: 'Keep it',
  trialGoesOn: 'Your free trial goes on until {end}, then it ends.',
  keptUntil: 'You keep it until {end}, the end of the current period, then it ends.',
  endsOn: 'It ends on {end}.',
  notCharged: 'You will not be charged.',
  notChargedAgain: 'You will not be charged again.',
  canResume: 'Until that day you can change your mind and resume it.',

  lastPaymentFailed: 'Your last payment didn’t go through.',
  severalPaymentsFailed: 'Several payments didn’t go through.',
  firstPaymentMissing: 'The first payment is still missing.',
  payOpenInvoice: 'Pay the open invoice now, or update your payment method for the next attempt.',
  payNow: 'Pay now',
  seeOpenInvoices: 'See open invoices',
  updatePaymentMethod: 'Update payment method',

  noInvoices: 'No invoices yet',
  invoicesComeHere: 'They are listed here as soon as there is one.',
  date: 'Date',
  number: 'Number',
  amount: 'Amount',
  status: 'Status',
  document: 'Document',
  invoiceDraft: 'Draft',
  invoiceOpen: 'Open',
  invoicePaid: 'Paid',
  invoiceVoid: 'Void',
  withoutNumber: 'Without number',
  pay: 'Pay<hidden> {number}</hidden>',
  pdf: 'PDF<hidden> of {number}</hidden>',
  pagesOfInvoices: 'Pages of invoices',
  newer: 'Newer',
  older: 'Older',
  pageOf: 'Page {page, number} of {last, number}',

  addPaymentMethod: 'Add a payment method',
  enteredAtProcessor: 'You enter it on the payment processor’s own page.',
  processorSilent:
    'The payment processor doesn’t respond right now, so your payment method can’t be shown. Everything else here is up to date.',
  noPaymentMethod: 'No payment method is saved',
  addOne: 'Add one, and your subscriptions are paid with it.',
  forSubscriptions: 'For {names}',
  inUse: 'In use',
  card: '{brand} {dots} <hidden>ending in</hidden> {last4}',
  cardExpires: 'Expires {expiry}',
  cardExpired: 'Expired {expiry}. Update it before the next payment.',

  linkExpired: 'This link has expired',
  linkExpiredText:
    'Links to your billing work for a limited time. Go back to where you found this one and ask for a new link.',
  openLinkAgain: 'Open your billing link again',
  openLinkAgainText:
    'You are back from the payment page, but this browser no longer knows which billing page is yours. Open your billing link to see the current status.',
  notFound: 'There is nothing here',
  notFoundText: 'The address may be incomplete. Open your billing link again.',
  unavailable: 'Your billing can’t be shown right now',
  unavailableText: 'This is on our side and will pass. Please try again in a minute.',
  actionFailed: 'That didn’t go through',
  actionFailedText:
    'The payment processor couldn’t be reached, or it refused. Go back to see the current status, and try again.',
};

export type MessageKey = keyof typeof en;
/** The texts of one language. */
export type Messages = Readonly<Record<MessageKey, string>>;

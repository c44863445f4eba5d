import type { PortalConfig, Price } from '@billing/client';

type Brand = PortalConfig['brand'];

/** The form of the portal's settings, as it is written. */
export interface PortalForm {
  readonly switchesPlans: boolean;
  /** What is offered, in this order. */
  readonly priceIds: readonly string[];
  readonly when: PortalConfig['planSwitch']['when'];
  readonly proration: PortalConfig['planSwitch']['proration'];
  readonly changesQuantity: boolean;
  readonly min: string;
  readonly max: string;
  readonly asksReason: boolean;
  /** Empty for none. */
  readonly promotionCodeId: string;
  readonly pauses: boolean;
  /** Empty for no limit. */
  readonly maxPauseDays: string;
  readonly showsBillingDetails: boolean;
  readonly language: PortalConfig['defaultLanguage'];
  /** Empty texts stand for none. */
  readonly brand: Readonly<Record<keyof Brand, string>>;
}

/** The fields that can have a problem, as the service names them. */
export const FIELDS = [
  'planSwitch.priceIds',
  'quantity.min',
  'quantity.max',
  'cancellation.saveOffer',
  'pause.maxDays',
  'brand.name',
  'brand.logoUrl',
  'brand.accentColor',
  'brand.supportUrl',
  'brand.returnUrl',
] as const;

/** What is wrong with the settings, by field. */
export type PortalProblems = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/** As many prices as the portal can offer. */
export const MAX_PRICES = 50;

/** Returns the form of settings as they are. */
export const formOf = ({
  planSwitch,
  quantity,
  cancellation,
  pause,
  billingDetails,
  defaultLanguage,
  brand,
}: PortalConfig): PortalForm => ({
  switchesPlans: planSwitch.enabled,
  priceIds: planSwitch.priceIds,
  when: planSwitch.when,
  proration: planSwitch.proration,
  changesQuantity: quantity.enabled,
  min: String(quantity.min),
  max: String(quantity.max),
  asksReason: cancellation.askReason,
  promotionCodeId: cancellation.saveOffer?.promotionCodeId ?? '',
  pauses: pause.enabled,
  maxPauseDays: pause.maxDays === null ? '' : String(pause.maxDays),
  showsBillingDetails: billingDetails.enabled,
  language: defaultLanguage,
  brand: {
    name: brand.name ?? '',
    logoUrl: brand.logoUrl ?? '',
    accentColor: brand.accentColor ?? '',
    supportUrl: brand.supportUrl ?? '',
    returnUrl: brand.returnUrl ?? '',
  },
});

/** Returns the settings that a form describes; the service checks them. */
export const configOf = (form: PortalForm) => ({
  planSwitch: {
    enabled: form.switchesPlans,
    priceIds: form.priceIds,
    when: form.when,
    proration: form.proration,
  },
  quantity: { enabled: form.changesQuantity, min: Number(form.min), max: Number(form.max) },
  cancellation: {
    askReason: form.asksReason,
    saveOffer: form.promotionCodeId === '' ? null : { promotionCodeId: form.promotionCodeId },
  },
  pause: { enabled: form.pauses, maxDays: form.maxPauseDays.trim() === '' ? null : Number(form.maxPauseDays) },
  billingDetails: { enabled: form.showsBillingDetails },
  defaultLanguage: form.language,
  brand: {
    name: form.brand.name.trim() || null,
    logoUrl: form.brand.logoUrl.trim() || null,
    accentColor: form.brand.accentColor.trim() || null,
    supportUrl: form.brand.supportUrl.trim() || null,
    returnUrl: form.brand.returnUrl.trim() || null,
  },
});

/** Returns a list with one of its items a place nearer to the beginning. */
export function movedUp<Item>(items: readonly Item[], item: Item): readonly Item[] {
  const at = items.indexOf(item);
  if (at < 1) return items;
  return [...items.slice(0, at - 1), item, ...items.slice(at - 1, at), ...items.slice(at + 1)];
}

/** Returns the prices that the portal could offer besides: recurring, and for sale. */
export const offerable = (
  prices: readonly Price[],
  offered: readonly string[],
  isSold: (priceId: string) => boolean,
): readonly Price[] =>
  prices.filter(({ id, type, isActive }) => type === 'recurring' && isActive && isSold(id) && !offered.includes(id));

/** The languages of the portal. */
export const LANGUAGES: Readonly<Record<PortalConfig['defaultLanguage'], string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  nl: 'Dutch',
  pl: 'Polish',
  'pt-BR': 'Portuguese (Brazil)',
  sv: 'Swedish',
  ja: 'Japanese',
};

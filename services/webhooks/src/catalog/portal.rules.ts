import { notFound } from '@billing/contracts/problem';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import type { CatalogRecords } from '@billing/contracts/rpc/catalog';
import type { PortalItem } from './items.rules.ts';

type Prices = readonly Pick<CatalogRecords['prices'][number], 'id' | 'key' | 'isActive'>[];

/** Returns what a key means: the newest active price that has it, else the newest. */
const priceOf = (prices: Prices, key: string) =>
  prices.findLast(it => it.key === key && it.isActive) ?? prices.findLast(it => it.key === key);

/** Returns a portal's configuration with what has taken the place of prices that were replaced. */
export function withNewestPrices(config: PortalConfig, { prices }: Pick<CatalogRecords, 'prices'>): PortalConfig {
  const keys = new Map(prices.map(({ id, key }) => [id, key]));
  const newest = (id: PortalConfig['planSwitch']['priceIds'][number]) => {
    const key = keys.get(id) ?? null;
    return key === null ? id : (priceOf(prices, key)?.id ?? id);
  };
  return {
    ...config,
    planSwitch: { ...config.planSwitch, priceIds: [...new Set(config.planSwitch.priceIds.map(newest))] },
  };
}

/**
 * Returns a portal's configuration with the ids of this project.
 * @throws Problem 404 for the key of a price, and for a promotion code, that the project does not have
 */
export function toPortalConfig(
  { planSwitch, cancellation, ...others }: PortalItem,
  { prices, promotionCodes }: Pick<CatalogRecords, 'prices' | 'promotionCodes'>,
): PortalConfig {
  const { priceKeys, ...switching } = planSwitch;
  const { askReason, saveOffer } = cancellation;
  const priceIds = priceKeys.map(key => {
    const price = priceOf(prices, key);
    if (!price) throw notFound('price', `The project has no price with the key "${key}".`);
    return price.id;
  });
  const codes = promotionCodes.filter(it => it.code.toLowerCase() === saveOffer?.promotionCode.toLowerCase());
  const offered = codes.findLast(it => it.isActive) ?? codes.at(-1);
  if (saveOffer && !offered)
    throw notFound('promotion_code', `The project has no promotion code "${saveOffer.promotionCode}".`);
  return {
    ...others,
    planSwitch: { ...switching, priceIds },
    cancellation: { askReason, saveOffer: offered ? { promotionCodeId: offered.id } : null },
  };
}

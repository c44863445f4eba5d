import { featureKey } from './feature.ts';

const KEY = 'What your code calls it, in test and live mode alike; unique among the active ones of its kind.';

/** The name of a product, a price or a coupon that is the same in every project, in test and in live mode. */
export const catalogKey = featureKey.meta({ description: KEY, example: 'pro_monthly' });

/** The same in an update. */
export const catalogKeyOnce = catalogKey.describe(`${KEY} It can be set once.`);

/** The same in a response. */
export const shownCatalogKey = catalogKey.optional().describe(`${KEY} Absent when it has none.`);

/** The same as a condition of a list. */
export const wantedCatalogKey = catalogKey.optional().describe('Only those with this key.');

import type { RpcClient } from '@billing/messaging/rpc';
import type { Draft } from '#domain/draft.ts';
import { SAMPLE_CUSTOMER, SAMPLE_METHODS, sampleBilling } from '#domain/sample-billing.ts';
import type { BillingDescription } from './describe-billing.ts';
import { findBrand } from './find-brand.ts';
import { findPrices, type Prices } from './find-offer.ts';

/** What a preview shows of a customer who does not exist. */
export interface DraftDescription extends BillingDescription {
  readonly customer: typeof SAMPLE_CUSTOMER;
  readonly returnUrl: string | null;
  readonly config: Draft['config'];
}

/** Describes the portal of a sample customer under a draft; without the offered prices where the catalog does not reply. */
export function describeDraft({ rpc }: { readonly rpc: RpcClient }) {
  const findProjectBrand = findBrand({ rpc });
  const findOffered = findPrices({ rpc });
  return async ({ teamId, projectId, config }: Draft, now: Date): Promise<DraftDescription> => {
    const project = { scope: { teamId, projectId }, config };
    const [brand, prices] = await Promise.all([
      findProjectBrand(project),
      findOffered(project).catch((): Prices => new Map()),
    ]);
    const [first] = config.planSwitch.priceIds.flatMap(id => prices.get(id) ?? []);
    return {
      ...sampleBilling(projectId, first, now),
      brand,
      paymentMethods: { kind: 'known', paymentMethods: SAMPLE_METHODS },
      prices,
      config,
      customer: SAMPLE_CUSTOMER,
      returnUrl: config.brand.returnUrl,
    };
  };
}

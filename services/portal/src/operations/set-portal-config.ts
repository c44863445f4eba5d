import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import { FindPrices, FindStoredPromotionCode } from '@billing/contracts/rpc/calls';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { changesOf, changesWithin, recordAudit } from '@billing/service/audit';
import { findPortalConfig, SavedPortalConfig } from '#persistence/portal-config.entity.ts';

export interface SetPortalConfigDependencies {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

/**
 * Sets what the portal of a project offers, and how it looks. Prices and promotion codes may be archived: those are not
 * offered until they are active.
 * @throws Problem 404 `price_not_found`, `promotion_code_not_found`; 422 `price_type_mismatch` for a one-time price; 503 when
 *   the catalog does not reply
 */
export function setPortalConfig({ outbox, rpc, now }: SetPortalConfigDependencies) {
  return async (scope: ProjectScope, config: PortalConfig, context: AuditContext): Promise<PortalConfig> => {
    const { teamId, projectId } = scope;
    const { planSwitch, cancellation } = config;
    await Promise.all([
      checkPrices({ teamId, projectId }, planSwitch.priceIds),
      cancellation.saveOffer && checkPromotionCode({ teamId, projectId }, cancellation.saveOffer),
    ]);
    return outbox.transaction(async (tx, publish) => {
      const before = await findPortalConfig(tx, scope);
      const parts = ['planSwitch', 'quantity', 'cancellation', 'pause', 'billingDetails', 'brand'] as const;
      const changes = parts.flatMap(part => changesWithin(part, changesOf(before[part], config[part])));
      const { defaultLanguage } = config;
      changes.push(...changesOf({ defaultLanguage: before.defaultLanguage }, { defaultLanguage }));
      recordAudit(publish, teamId, context, { target: { type: 'portal_config', id: projectId }, changes });
      await tx.upsert(SavedPortalConfig, { teamId, projectId, config, updatedAt: now() });
      return config;
    });
  };

  async function checkPrices(scope: ProjectScope, priceIds: readonly PriceId[]): Promise<void> {
    if (priceIds.length === 0) return;
    const found = await rpc.call(FindPrices, { ...scope, priceIds: [...priceIds] });
    const missing = priceIds.filter(id => !found.some(({ price }) => price.id === id));
    if (missing.length > 0) throw notFound('price', `No such price: ${missing.join(', ')}.`);
    const oneTime = found.filter(({ price }) => price.type !== 'recurring').map(({ price }) => price.id);
    if (oneTime.length > 0)
      throw unprocessable('price_type_mismatch', `Plans need recurring prices: ${oneTime.join(', ')} is paid once.`);
  }

  async function checkPromotionCode(
    scope: ProjectScope,
    { promotionCodeId }: NonNullable<PortalConfig['cancellation']['saveOffer']>,
  ): Promise<void> {
    if (!(await rpc.call(FindStoredPromotionCode, { ...scope, promotionCodeId }))) throw notFound('promotion_code');
  }
}

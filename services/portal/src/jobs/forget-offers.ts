import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

/** Takes the prices and promotion codes of a purged account out of what the team's portals offer; the rest stays. */
export async function forgetOffers(tx: EntityManager, teamId: TeamId): Promise<void> {
  await tx.execute(
    `update portal_configs
        set config = jsonb_set(jsonb_set(config, '{planSwitch,priceIds}', '[]'), '{cancellation,saveOffer}', 'null')
      where team_id = ?`,
    [teamId],
  );
}

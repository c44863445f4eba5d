import { PurgeReported } from '@billing/contracts/events/webhooks';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { recordReport } from '#operations/purge-account.ts';

/** Follows how far the services are with a purge. */
export const purgeReports = (): Consumer =>
  consumer('webhooks-purge-reports', 'processor-account.purge-reported.v1').on(
    PurgeReported,
    async (tx, deliveries, publish) => {
      for (const { teamId, data } of deliveries) await recordReport(tx, teamId, data, publish);
    },
  );

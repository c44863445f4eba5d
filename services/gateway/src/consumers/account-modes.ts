import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { Team } from '#persistence/team.entity.ts';

/** Records whether the processor accounts of teams are live; an older change than the recorded one is dropped. */
export const accountModes = (): Consumer =>
  consumer('gateway-accounts', 'processor-account.changed.v1').on(ProcessorAccountChanged, async (tx, deliveries) => {
    for (const { teamId, data } of deliveries) {
      const { version, livemode } = data;
      await tx.nativeUpdate(
        Team,
        { id: teamId, accountVersion: { $lt: version } },
        { accountLivemode: livemode, accountVersion: version },
      );
    }
  });

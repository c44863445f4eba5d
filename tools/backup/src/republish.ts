// Publishes events again after NATS lost its data; docs/operations.md says when.
import { findAdminUrl } from '@billing/local-system/running-system';
import { connectAdmin } from './admin-connection.ts';
import { republishUnhandled } from './republish-unhandled.ts';
import { findSystem, runCommand } from './settings.ts';

await runCommand('events:republish', async () => {
  const system = findSystem(process.env);
  const client = await connectAdmin(system.kind === 'data-folder' ? findAdminUrl(system.dataDir) : system.adminUrl);
  try {
    const { outboxEvents, webhookEvents } = await republishUnhandled(client, new Date());
    console.log(`${outboxEvents} events and ${webhookEvents} webhook events will be published again`);
  } finally {
    await client.end();
  }
});

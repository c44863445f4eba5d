/** Returns the URLs that the global setup or the test runner has set for this process. */
export function testServerUrls(): { databaseUrl: string; natsUrl: string } {
  const databaseUrl = process.env['TEST_DATABASE_URL'];
  const natsUrl = process.env['TEST_NATS_URL'];
  if (databaseUrl === undefined || natsUrl === undefined)
    throw new Error(
      'TEST_DATABASE_URL and TEST_NATS_URL are not set: add globalSetup "@billing/testing/global-setup" to vitest.config.ts.',
    );
  return { databaseUrl, natsUrl };
}

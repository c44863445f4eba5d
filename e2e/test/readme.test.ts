import { expect, inject, it } from 'vitest';
import { runReadmeSession } from '../system/readme-session.ts';

it('runs the curl session of the README as printed', async () => {
  const printed = await runReadmeSession(inject('gatewayUrl'));
  expect(printed).toContain('"connected":true');
  expect(printed).toContain('the page leads to https://example.com/done?s=cs_test_');
  expect(printed).toContain('"status":"active"');
  expect(printed).toContain(`${inject('gatewayUrl')}/portal/`);
});

import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { startSystem } from '../system/start-system.ts';

it.skipIf(isWithoutBrowser())(
  'signs the person at the machine in with the printed link, once',
  { timeout: 240_000 },
  async () => {
    await using resources = new AsyncDisposableStack();
    const system = resources.adopt(await startSystem({}, { demo: true }), started => started.stop());
    const [, link = ''] = /^ +Console +(\S+)/m.exec(system.output()) ?? [];
    expect(link).toContain(`${system.gatewayUrl}/sign-in#`);
    const browser = resources.adopt(await launchBrowser(), opened => opened.close());

    const page = await (await browser.newContext()).newPage();
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Demo project' }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.getByRole('link', { name: /^MRR \$/ }).waitFor();

    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await other.getByText('This link was used already').waitFor();
    await other.getByRole('heading', { level: 1, name: 'This link does not sign you in' }).waitFor();
  },
);

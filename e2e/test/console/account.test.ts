import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { codeOf } from '../../system/account.ts';
import { expectAccessible } from '../../system/accessibility.ts';
import { newUser } from '../../system/tenant.ts';
import { inBrowser } from './browse.ts';

inBrowser('signs in with a second factor, whose codes work once', async ({ visit }) => {
  const { user, credentials } = await newUser();
  const page = await visit('/account', { user });
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByRole('button', { name: 'Change the name' }).click();
  await page.getByText('Grace Hopper,').waitFor();

  await page.getByRole('button', { name: 'Set up…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill(credentials.password);
  await page.keyboard.press('Enter');
  await dialog.getByRole('img', { name: 'QR code of the account' }).waitFor();
  const app = dialog.getByRole('link', { name: 'open it in the app' });
  const uri = String(await app.getAttribute('href'));
  const secret = (await dialog.getByRole('region', { name: 'Key' }).innerText()).replaceAll(/\s/g, '');
  expect(uri).toContain(`secret=${secret}&`);
  await expectAccessible(page);
  const code = codeOf(uri);
  await dialog.getByLabel('Code', { exact: true }).fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const [backupCode = ''] = (await dialog.getByRole('region', { name: 'Backup codes' }).innerText()).split('\n');
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('On', { exact: true }).waitFor();
  await page.getByText('This one').waitFor();

  const signIn = async () => {
    await page.context().clearCookies();
    await page.goto(new URL('/sign-in', page.url()).href);
    await page.getByLabel('E-mail address').fill(credentials.email);
    await page.getByLabel('Password').fill(credentials.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Enter your code' }).waitFor();
  };
  const enter = async (typed: string) => {
    await page.getByLabel('Code').fill(typed);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await signIn();
  await expectAccessible(page);
  await enter(code);
  await refused(page);
  await enter(backupCode.toUpperCase().replace('-', ' '));
  await page.getByRole('heading', { level: 1, name: 'Create a team' }).waitFor();
  await signIn();
  await enter(backupCode);
  await refused(page);
  await enter(codeOf(uri, Date.now() + 30_000));
  await page.getByRole('heading', { level: 1, name: 'Create a team' }).waitFor();

  await page.goto(new URL('/account', page.url()).href);
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog.getByLabel('Password').fill(credentials.password);
  await page.keyboard.press('Enter');
  await page.getByText('The second factor is removed.').waitFor();
  await page.getByRole('button', { name: 'Set up…' }).waitFor();
});

const refused = (page: Page) => page.getByRole('alert').getByText('Invalid').waitFor();

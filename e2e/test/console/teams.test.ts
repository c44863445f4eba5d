import { expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

inBrowser('opens a project and a team as soon as they are created', async ({ visit }) => {
  const tenant = await newTenant();
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  const switcher = page.getByRole('button', { name: /Switch the project or the team/ });
  await switcher.click();
  await page.getByRole('link', { name: 'New project' }).click();
  await page.getByLabel('Project name').fill('Second shop');
  await page.getByRole('button', { name: 'Create the project' }).click();
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor();
  expect(await switcher.innerText()).toContain('Second shop');

  await switcher.click();
  await page.getByRole('link', { name: 'New team' }).click();
  await page.getByLabel('Team name').fill('Second team');
  await page.getByLabel('First project').fill('Third shop');
  // The project of the first try fails; the second try makes no other team.
  await page.route(
    '**/projects',
    route => route.fulfill({ status: 400, json: { error: { code: 'x', message: 'No.' } } }),
    {
      times: 1,
    },
  );
  await page.getByRole('button', { name: 'Create the team' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Create the team' }).click();
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor();
  expect(await switcher.innerText()).toContain('Third shop');
  await switcher.click();
  const secondTeam = page.getByRole('button', { name: 'Second team', exact: true });
  await secondTeam.first().waitFor();
  expect(await secondTeam.count()).toBe(1);
  await page.getByRole('button', { name: 'Acme', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Second shop' }).waitFor();

  // What someone else has created since the list was loaded.
  const { project } = await ok(tenant.user.post(`${tenant.teamPath}/projects`, { name: 'Fourth shop' }), 201);
  await follow(page, pageOf({ teamId: tenant.teamId, projectId: project.id }, 'overview'));
  await page.getByRole('heading', { level: 1, name: 'Fourth shop' }).waitFor();
});
